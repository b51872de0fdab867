require "inner19"
require "inner20"
