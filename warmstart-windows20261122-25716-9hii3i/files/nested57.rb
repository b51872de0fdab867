require "inner57"
require "inner58"
