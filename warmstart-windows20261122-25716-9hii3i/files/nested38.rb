require "inner38"
require "inner39"
