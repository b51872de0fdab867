require "inner48"
require "inner49"
