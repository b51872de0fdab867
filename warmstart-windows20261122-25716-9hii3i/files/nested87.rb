require "inner87"
require "inner88"
