# frozen_string_literal: true

module Warmstart
  VERSION = "0.1.0"
end
