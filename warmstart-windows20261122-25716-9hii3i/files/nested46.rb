require "inner46"
require "inner47"
