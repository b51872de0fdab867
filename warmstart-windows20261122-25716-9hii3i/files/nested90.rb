require "inner90"
require "inner91"
