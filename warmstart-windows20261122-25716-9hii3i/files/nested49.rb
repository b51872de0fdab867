require "inner49"
require "inner50"
