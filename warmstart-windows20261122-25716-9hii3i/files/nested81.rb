require "inner81"
require "inner82"
