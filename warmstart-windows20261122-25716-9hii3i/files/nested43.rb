require "inner43"
require "inner44"
