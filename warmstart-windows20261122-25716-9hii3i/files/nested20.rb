require "inner20"
require "inner21"
