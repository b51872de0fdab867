require "inner14"
require "inner15"
