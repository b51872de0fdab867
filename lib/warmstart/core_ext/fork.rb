# frozen_string_literal: true

module Warmstart
  module CoreExt
    # Replaces Process._fork, which every fork of Ruby's calls, by a C function, while the governor postpones
    # collections in a server that forks its workers. The governor removes it when it ends.
    # @api private
    module Fork
      class << self
        # @yield before each fork
        def install(&before)
          Native.define_fork(before)
        end

        def uninstall
          Native.undefine_fork
        end
      end
    end
  end
end
