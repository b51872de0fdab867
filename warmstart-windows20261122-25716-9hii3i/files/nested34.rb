require "inner34"
require "inner35"
