# frozen_string_literal: true

module Warmstart
  # (A gemspec loads this file to read it. Where another copy of Warmstart is at work, the numbers are that one's.)
  unless const_defined?(:VERSION, false)
    VERSION = "0.1.0"

    # What the extension must offer: ext/interface.rb. bin/setup writes it.
    INTERFACE = 0xa7fd60631fe0
  end
end
