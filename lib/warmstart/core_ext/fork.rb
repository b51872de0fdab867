# frozen_string_literal: true

module Warmstart
  module CoreExt
    # Replaces Process._fork, which every fork of Ruby's calls, by a C function, in a server that forks its workers and
    # in whose boot collections are postponed. The first fork removes it.
    # @api private
    module Fork
      class << self
        # @yield before the first fork
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
