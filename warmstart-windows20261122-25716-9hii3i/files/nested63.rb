require "inner63"
require "inner64"
