# frozen_string_literal: true

module Warmstart
  # (Where another copy of Warmstart is at work, the version is that one's.)
  VERSION = "0.1.0" unless const_defined?(:VERSION, false)
end
