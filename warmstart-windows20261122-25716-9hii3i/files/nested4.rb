require "inner4"
require "inner5"
