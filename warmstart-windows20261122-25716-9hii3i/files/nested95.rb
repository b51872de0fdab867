require "inner95"
require "inner96"
