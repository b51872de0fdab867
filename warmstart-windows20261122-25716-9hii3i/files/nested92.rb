require "inner92"
require "inner93"
