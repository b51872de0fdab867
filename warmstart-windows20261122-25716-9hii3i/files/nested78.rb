require "inner78"
require "inner79"
