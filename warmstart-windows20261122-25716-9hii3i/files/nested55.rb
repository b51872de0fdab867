require "inner55"
require "inner56"
