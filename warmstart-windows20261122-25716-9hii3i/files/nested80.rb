require "inner80"
require "inner81"
