require "inner61"
require "inner62"
