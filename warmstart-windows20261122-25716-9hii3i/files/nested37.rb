require "inner37"
require "inner38"
