require "inner72"
require "inner73"
