# frozen_string_literal: true

module Warmstart
  module CoreExt
    # GC.enable, GC.disable, GC.stress= and Process._fork while the governor has the collector off: C functions that know what the
    # program has asked for. The governor takes them out when it ends.
    module Collector
      class << self
        # @yield before each fork
        def install(&before_fork)
          Native.define_collector(before_fork)
        end

        def uninstall
          Native.undefine_collector
        end
      end
    end
  end
end
