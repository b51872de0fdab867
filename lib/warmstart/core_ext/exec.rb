# frozen_string_literal: true

module Warmstart
  module CoreExt
    # Replaces Kernel#exec, Kernel.exec and Process.exec while this process records: the C functions write the recording
    # before Ruby replaces the program. An exec that fails raises as in plain Ruby.
    # @api private
    module Exec
      class << self
        # @yield before each exec, to prepare what is to be written
        def install(&before)
          Native.define_exec(before)
        end

        def uninstall
          Native.undefine_exec
        end
      end
    end
  end
end
