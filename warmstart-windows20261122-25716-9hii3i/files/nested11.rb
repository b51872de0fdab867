require "inner11"
require "inner12"
