require "inner97"
require "inner98"
