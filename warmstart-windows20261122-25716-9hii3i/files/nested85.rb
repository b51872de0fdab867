require "inner85"
require "inner86"
