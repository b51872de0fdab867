require "inner32"
require "inner33"
