require "inner13"
require "inner14"
