require "inner26"
require "inner27"
