require "inner25"
require "inner26"
