require "inner27"
require "inner28"
