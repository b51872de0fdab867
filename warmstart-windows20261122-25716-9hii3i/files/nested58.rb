require "inner58"
require "inner59"
