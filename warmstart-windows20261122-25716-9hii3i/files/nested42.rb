require "inner42"
require "inner43"
