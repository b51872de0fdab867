require "inner93"
require "inner94"
