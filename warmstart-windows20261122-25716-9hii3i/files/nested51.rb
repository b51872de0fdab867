require "inner51"
require "inner52"
