require "inner22"
require "inner23"
