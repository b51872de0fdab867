# frozen_string_literal: true

module Warmstart
  module CoreExt
    # Puts a C function in the place of one of Ruby's own methods, below all decorators: methods that are the original
    # under another name (RubyGems' gem_original_require, bundled_gems' no_warning_require) become ours, decorators stay
    # as they are. So owner, arity, source_location and later decorators are those of plain Ruby.
    class CMethod
      # @param target [Module] where the method is
      # @param name [Symbol]
      # @yield [original] defines the C function; original: Ruby's, an UnboundMethod
      def initialize(target, name, &definition)
        @target = target
        @name = name
        @definition = definition
      end

      def install
        originals = self.originals
        return if originals.empty?

        decorated = @target.instance_method(@name) unless originals.key?(@name)
        hidden = @target.private_method_defined?(@name)
        @decorated = [decorated, hidden] if decorated
        @originals = originals
        @definition.call(originals.each_value.first.first)
        originals.each { |name, (_original, private_method)| rename(name, private_method) unless name == @name }
        restore(@name, decorated, hidden) if decorated
        @ours = originals.keys.to_h { |name| [name, own_method(name)] }
      end

      # Decorators that came later keep calling what they captured, which then asks nothing any more. What the program
      # has defined over ours, or taken away, is its own. Where `install` has failed half way, nobody else has been
      # here.
      def uninstall
        @originals&.each do |name, (original, private_method)|
          restore(name, original, private_method) if @ours.nil? || own_method(name) == @ours[name]
        end
        restore(@name, *@decorated) if @originals && @decorated && @ours.nil?
        @originals = nil
      end

      private

      # The method that the target itself has, below whatever is prepended to it, or nil.
      def own_method(name)
        return unless @target.method_defined?(name) || @target.private_method_defined?(name)

        method = @target.instance_method(name)
        method = method.super_method while method && method.owner != @target
        method
      end

      # {name => [UnboundMethod, private?]} of the methods that are Ruby's own, under whatever name.
      def originals
        names = @target.private_instance_methods(false) + @target.instance_methods(false)
        names.each_with_object({}) do |name, found|
          method = @target.instance_method(name)
          # (most: another method, and the target's own)
          next unless method.original_name == @name || method.owner != @target

          method = own_method(name)
          next unless method && method.original_name == @name && method.source_location.nil?

          found[name] = [method, @target.private_method_defined?(name)]
        end
      end

      def rename(name, private_method)
        @target.alias_method(name, @name)
        @target.send(:private, name) if private_method
      end

      def restore(name, method, private_method)
        @target.define_method(name, method)
        @target.send(:private, name) if private_method
      end
    end

    # For modules that put such functions in, and take them out again.
    module CMethods
      def uninstall
        CoreExt.silently { @methods&.each(&:uninstall) }
        @methods = nil
      end

      private

      # @param methods [Array<CMethod>]
      def put_in(*methods)
        @methods = methods
        CoreExt.silently { methods.each(&:install) }
      end
    end
  end
end
