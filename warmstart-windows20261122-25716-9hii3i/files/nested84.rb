require "inner84"
require "inner85"
