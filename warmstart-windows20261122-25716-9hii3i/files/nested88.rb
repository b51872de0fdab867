require "inner88"
require "inner89"
