# frozen_string_literal: true

module Warmstart
  module CoreExt
    # Process._fork, which is under every fork of Ruby's, while the governor has the collector off in a server that
    # forks its workers: a C function. The governor takes it out when it ends.
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
