require "inner96"
require "inner97"
