require "inner24"
require "inner25"
