require "inner79"
require "inner80"
