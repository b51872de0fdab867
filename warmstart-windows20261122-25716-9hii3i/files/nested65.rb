require "inner65"
require "inner66"
