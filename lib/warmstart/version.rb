# frozen_string_literal: true

module Warmstart
  VERSION = "0.1.0"

  # What the extension must offer: ext/interface.rb. bin/setup writes it.
  INTERFACE = 0x648def47b60e
end
