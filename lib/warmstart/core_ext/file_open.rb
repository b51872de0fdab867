# frozen_string_literal: true

module Warmstart
  module CoreExt
    # Replaces IO.open, which is also File.open, by a C function. Psych uses it to open the files that it loads
    # (docs/bundler_and_documents.md).
    # @api private
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
