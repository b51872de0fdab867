# frozen_string_literal: true

require_relative "../core_ext"
require_relative "details"
require_relative "methods"

module Warmstart
  module Profiler
    # Replaces Ruby's functions by the profiler's, and restores them.
    # @api private
    module Hooks
      class << self
        def install
          Native.require_functions = functions_in_place
          CoreExt.silently do
            install_requires
            Native.define_load
            Native.define_evals
          end
          Methods.install
          Native.on_loaded = Methods.method(:loaded)
          CoreExt.require_observer = method(:accelerated)
        end

        def uninstall
          CoreExt.require_observer = nil
          Native.on_loaded = nil
          OutsideImage.ignore
          Methods.uninstall
          CoreExt.silently do
            Native.undefine_evals
            Native.undefine_load
            @requires&.each(&:uninstall)
          end
          Native.require_functions = nil
          @requires = nil
        end

        # @param following [#call] see Following; used only if a whole process is profiled
        def follow(following)
          CoreExt.silently { Native.define_exec(following) }
        end

        # The accelerator has replaced the profiler's functions by its own: replaces these again, by functions that call
        # them.
        # @param functions [Array(Integer, Integer)] addresses of the accelerator's require and require_relative; 0:
        #   none
        def accelerated(functions)
          return unless @requires

          OutsideImage.observe
          Native.require_functions = functions
          CoreExt.silently { install_requires }
        end

        private

        # The accelerator's functions, if it was installed first (-r on the command line comes before RUBYOPT's).
        def functions_in_place
          return unless ::Warmstart.respond_to?(:session) && ::Warmstart.session

          OutsideImage.observe
          require, relative = ::Warmstart::Native.require_functions
          [require, ::Warmstart::Native.direct_enabled ? relative : 0]
        end

        def install_requires
          singleton = ::Kernel.singleton_class
          @requires = [
            CoreExt::CMethod.new(::Kernel, :require) { Native.define_require(:require, false) },
            CoreExt::CMethod.new(singleton, :require) { Native.define_require(:require, true) },
            CoreExt::CMethod.new(::Kernel, :require_relative) { Native.define_require(:require_relative, false) },
            CoreExt::CMethod.new(singleton, :require_relative) { Native.define_require(:require_relative, true) }
          ].each(&:install)
        end
      end
    end
  end
end
