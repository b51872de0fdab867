require "inner56"
require "inner57"
