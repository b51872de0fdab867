# frozen_string_literal: true

module Warmstart
  # (If another copy of Warmstart was first, this is that copy's version.)
  VERSION = "0.1.0" unless const_defined?(:VERSION, false)
end
