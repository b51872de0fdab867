require "inner28"
require "inner29"
