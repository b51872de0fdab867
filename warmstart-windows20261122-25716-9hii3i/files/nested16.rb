require "inner16"
require "inner17"
