# frozen_string_literal: true

module Warmstart
  module CoreExt
    # IO.open, which is File.open: Psych opens by it the files that it loads (docs/documents.md). A C function in the
    # place of Ruby's.
    module FileOpen
      class << self
        include CMethods

        def install
          put_in(CMethod.new(::IO.singleton_class, :open) { Native.define_file_open })
        end
      end
    end
  end
end
