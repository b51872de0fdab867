require "inner7"
require "inner8"
