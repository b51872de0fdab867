require "inner53"
require "inner54"
