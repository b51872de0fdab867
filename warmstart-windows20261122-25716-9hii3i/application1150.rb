require "application/part0"
