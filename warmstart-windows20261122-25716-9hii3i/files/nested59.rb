require "inner59"
require "inner60"
