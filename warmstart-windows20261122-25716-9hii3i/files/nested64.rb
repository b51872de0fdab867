require "inner64"
require "inner65"
