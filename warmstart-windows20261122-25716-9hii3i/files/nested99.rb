require "inner99"
require "inner0"
