require "inner33"
require "inner34"
