require "inner45"
require "inner46"
