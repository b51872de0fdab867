require "inner73"
require "inner74"
