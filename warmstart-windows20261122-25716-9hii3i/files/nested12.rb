require "inner12"
require "inner13"
