# frozen_string_literal: true

module Warmstart
  module CoreExt
    # Puts a C function in place of Ruby's own Kernel#require and Kernel.require, below all decorators: methods that are the
    # original under another name (RubyGems' gem_original_require, bundled_gems' no_warning_require) become ours, decorators
    # stay as they are. So owner, arity, source_location and later decorators are those of plain Ruby.
    module KernelRequire
      class << self
        def install
          @originals = [::Kernel, ::Kernel.singleton_class].to_h { |target| [target, originals(target)] }
          CoreExt.silently do
            replace(::Kernel) { Native.define_require(::Kernel) }
            replace(::Kernel.singleton_class) { Native.define_singleton_require(::Kernel) }
          end
        end

        # Decorators that came later keep calling what they captured, which then asks nothing any more (Native.search_enabled).
        def uninstall
          CoreExt.silently do
            @originals&.each do |target, methods|
              methods.each do |name, (original, private_method)|
                target.define_method(name, original)
                target.send(:private, name) if private_method
              end
            end
          end
          @originals = nil
        end

        private

        # {name => [UnboundMethod, private?]} of the methods that are Ruby's own require, under whatever name.
        def originals(target)
          names = target.private_instance_methods(false) + target.instance_methods(false)
          names.each_with_object({}) do |name, found|
            method = target.instance_method(name)
            next unless method.original_name == :require && method.source_location.nil? && method.owner == target

            found[name] = [method, target.private_method_defined?(name)]
          end
        end

        def replace(target)
          names = @originals.fetch(target)
          decorated = target.instance_method(:require) unless names.key?(:require)
          hidden = target.private_method_defined?(:require)
          yield
          names.each do |name, (_original, private_method)|
            next if name == :require

            target.alias_method(name, :require)
            target.send(:private, name) if private_method
          end
          return unless decorated

          target.define_method(:require, decorated)
          target.send(:private, :require) if hidden
        end
      end
    end
  end
end
