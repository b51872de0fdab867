require "inner70"
require "inner71"
