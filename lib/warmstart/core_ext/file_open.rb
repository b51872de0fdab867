# frozen_string_literal: true

module Warmstart
  module CoreExt
    # IO.open, which is File.open: Psych opens by it the files that it loads (docs/documents.md). A C function in the place of Ruby's.
    module FileOpen
      class << self
        def install
          @method = CMethod.new(::IO.singleton_class, :open) { Native.define_file_open }
          CoreExt.silently { @method.install }
        end

        def uninstall
          CoreExt.silently { @method&.uninstall }
          @method = nil
        end
      end
    end
  end
end
