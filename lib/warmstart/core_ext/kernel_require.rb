# frozen_string_literal: true

module Warmstart
  module CoreExt
    # Replaces Kernel#require and Kernel.require. With the direct way also require_relative, whose C function calls
    # Ruby's require.
    # @api private
    module KernelRequire
      class << self
        include CMethods

        def install(relative:)
          put_in(*(relative ? requires + relatives : requires))
          CoreExt.require_observer&.call(relative ? Native.require_functions : [Native.require_functions.first, 0])
        end

        private

        def requires
          [
            CMethod.new(::Kernel, :require) { Native.define_require },
            CMethod.new(::Kernel.singleton_class, :require) { Native.define_singleton_require }
          ]
        end

        def relatives
          [
            CMethod.new(::Kernel, :require_relative) { Native.define_require_relative },
            CMethod.new(::Kernel.singleton_class, :require_relative) { Native.define_singleton_require_relative }
          ]
        end
      end
    end
  end
end
