require "inner21"
require "inner22"
