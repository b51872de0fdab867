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
          names = relative ? %i[require require_relative] : %i[require]
          put_in(*names.flat_map { |name| methods_of(name) })
          CoreExt.require_observer&.call(relative ? Native.require_functions : [Native.require_functions.first, 0])
        end

        private

        def methods_of(name)
          { ::Kernel => false, ::Kernel.singleton_class => true }.map do |target, of_singleton|
            CMethod.new(target, name) { Native.define_require(name, of_singleton) }
          end
        end
      end
    end
  end
end
