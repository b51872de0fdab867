# frozen_string_literal: true

module Warmstart
  module CoreExt
    # Replaces GC.enable, GC.disable and GC.stress= while the governor postpones collections: the C functions note what
    # the program asks of the collector. The governor removes them when it ends.
    # @api private
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
