require "inner66"
require "inner67"
