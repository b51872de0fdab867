require "inner41"
require "inner42"
