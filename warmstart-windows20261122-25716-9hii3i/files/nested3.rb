require "inner3"
require "inner4"
