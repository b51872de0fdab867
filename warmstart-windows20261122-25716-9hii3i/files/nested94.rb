require "inner94"
require "inner95"
