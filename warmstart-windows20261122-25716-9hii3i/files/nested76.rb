require "inner76"
require "inner77"
