require "inner35"
require "inner36"
