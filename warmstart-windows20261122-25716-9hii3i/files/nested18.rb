require "inner18"
require "inner19"
