require "inner10"
require "inner11"
