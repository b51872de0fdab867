require "inner75"
require "inner76"
