require "inner89"
require "inner90"
