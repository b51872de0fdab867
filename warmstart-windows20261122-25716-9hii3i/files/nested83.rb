require "inner83"
require "inner84"
