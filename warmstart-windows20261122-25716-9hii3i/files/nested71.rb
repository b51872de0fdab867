require "inner71"
require "inner72"
