# frozen_string_literal: true

module Warmstart
  module CoreExt
    # Kernel#exec, Kernel.exec and Process.exec of a recording process: C functions that write what is recorded before
    # Ruby replaces the program. An exec that fails goes on as in plain Ruby.
    module Exec
      class << self
        # @yield before each exec: asks for what is to be written
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
