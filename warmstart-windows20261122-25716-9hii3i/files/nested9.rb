require "inner9"
require "inner10"
