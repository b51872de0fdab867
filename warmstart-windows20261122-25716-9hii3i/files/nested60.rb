require "inner60"
require "inner61"
