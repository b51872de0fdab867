require "inner62"
require "inner63"
