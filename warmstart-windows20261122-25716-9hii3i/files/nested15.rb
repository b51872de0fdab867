require "inner15"
require "inner16"
