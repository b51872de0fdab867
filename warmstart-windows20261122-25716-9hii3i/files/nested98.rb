require "inner98"
require "inner99"
