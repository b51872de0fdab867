require "inner40"
require "inner41"
