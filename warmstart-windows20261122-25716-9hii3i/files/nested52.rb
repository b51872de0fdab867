require "inner52"
require "inner53"
