require "inner74"
require "inner75"
