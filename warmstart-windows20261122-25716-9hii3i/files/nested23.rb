require "inner23"
require "inner24"
