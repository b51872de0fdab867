require "inner82"
require "inner83"
