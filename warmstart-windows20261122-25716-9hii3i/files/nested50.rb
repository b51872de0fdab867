require "inner50"
require "inner51"
