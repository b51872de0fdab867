require "inner36"
require "inner37"
