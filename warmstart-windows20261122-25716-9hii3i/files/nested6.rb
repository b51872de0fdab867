require "inner6"
require "inner7"
