require "inner47"
require "inner48"
