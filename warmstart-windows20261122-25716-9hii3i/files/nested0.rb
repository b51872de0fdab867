require "inner0"
require "inner1"
