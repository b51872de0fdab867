require "inner17"
require "inner18"
