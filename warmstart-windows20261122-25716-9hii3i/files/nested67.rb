require "inner67"
require "inner68"
