# frozen_string_literal: true

module Warmstart
  module CoreExt
    # GC.enable, GC.disable and GC.stress= while the governor has the collector off: C functions that know what the
    # program has asked for. The governor takes them out when it ends.
    module Collector
      class << self
        def install
          Native.define_collector
        end

        def uninstall
          Native.undefine_collector
        end
      end
    end
  end
end
