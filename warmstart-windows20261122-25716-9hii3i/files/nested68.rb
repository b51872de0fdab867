require "inner68"
require "inner69"
