# frozen_string_literal: true

module Warmstart
  module CoreExt
    # Replaces File.expand_path and File.absolute_path on Windows, where Ruby asks the disk for the long name of each
    # path's last component. The C functions only compute (docs/windows_and_files.md). They call Ruby's own method for
    # what they cannot answer.
    # @api private
    module ExpandPath
      class << self
        include CMethods

        def install
          put_in(
            CMethod.new(::File.singleton_class, :expand_path) { Native.define_file_expand_path },
            CMethod.new(::File.singleton_class, :absolute_path) { Native.define_file_absolute_path }
          )
        end
      end
    end
  end
end
