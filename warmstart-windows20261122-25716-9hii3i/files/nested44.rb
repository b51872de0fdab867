require "inner44"
require "inner45"
