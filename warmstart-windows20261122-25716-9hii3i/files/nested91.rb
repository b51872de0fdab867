require "inner91"
require "inner92"
