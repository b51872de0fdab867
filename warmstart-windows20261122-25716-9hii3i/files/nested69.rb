require "inner69"
require "inner70"
