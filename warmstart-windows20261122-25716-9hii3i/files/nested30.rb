require "inner30"
require "inner31"
