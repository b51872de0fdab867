require "inner2"
require "inner3"
