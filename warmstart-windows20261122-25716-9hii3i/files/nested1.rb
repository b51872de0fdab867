require "inner1"
require "inner2"
