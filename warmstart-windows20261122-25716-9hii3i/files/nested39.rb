require "inner39"
require "inner40"
