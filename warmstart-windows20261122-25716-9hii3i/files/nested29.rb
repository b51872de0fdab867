require "inner29"
require "inner30"
