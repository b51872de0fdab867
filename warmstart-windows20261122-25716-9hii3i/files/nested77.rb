require "inner77"
require "inner78"
