require "inner8"
require "inner9"
