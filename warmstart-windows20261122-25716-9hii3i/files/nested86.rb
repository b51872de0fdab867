require "inner86"
require "inner87"
