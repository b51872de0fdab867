require "inner54"
require "inner55"
