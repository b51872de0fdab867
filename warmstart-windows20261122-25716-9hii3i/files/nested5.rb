require "inner5"
require "inner6"
