require "inner31"
require "inner32"
