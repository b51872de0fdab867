# frozen_string_literal: true

module Warmstart
  module CoreExt
    # Replaces one of Ruby's own methods by a C function, below all decorators. Other names of the original method
    # (RubyGems' gem_original_require, bundled_gems' no_warning_require) get the C function, too; decorators stay as
    # they are. So owner, arity, source_location and later decorators are the same as in plain Ruby.
    # @api private
    class CMethod
      class << self
        # Looks at all methods of a module once for all of its methods that are to be replaced.
        def looking_once
          @found = {}
          yield
        ensure
          @found = nil
        end

        # @return [Array<Symbol>] names in the target that may be names for Ruby's own method
        def candidates(target, name)
          found = @found ? (@found[target] ||= look(target)) : look(target)
          found.fetch(name, []) + found.fetch(nil, [])
        end

        # Whether a method in C is Ruby's own. (A profiled program without Warmstart has nobody to ask.)
        def rubys?(method) = !defined?(Native) || !Native.respond_to?(:in_ruby?) || Native.in_ruby?(method)

        private

        # @return [Hash{Symbol, nil => Array<Symbol>}] names by the method's original name; nil: those of which another
        #   module's method is in front (most methods are the target's own)
        def look(target)
          names = target.private_instance_methods(false) + target.instance_methods(false)
          names.group_by do |name|
            method = target.instance_method(name)
            method.original_name if method.owner == target
          end
        end
      end

      # @param target [Module] the module that has the method
      # @param name [Symbol]
      # @yield [original] defines the C function
      # @yieldparam original [UnboundMethod] Ruby's own method
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

      # Gives Ruby's method back. Decorators that came later keep calling the C function that they captured, which from
      # then on only calls Ruby's. A method that the program has meanwhile defined or removed is left alone. If
      # `install` has failed half way (@ours is nil), no code of the program has run since, so everything is restored.
      def uninstall
        @originals&.each do |name, (original, private_method)|
          restore(name, original, private_method) if @ours.nil? || own_method(name) == @ours[name]
        end
        restore(@name, *@decorated) if @originals && @decorated && @ours.nil?
        @originals = nil
      end

      private

      # The method that the target itself defines, below the modules that are prepended to it, or nil.
      def own_method(name)
        return unless @target.method_defined?(name) || @target.private_method_defined?(name)

        method = @target.instance_method(name)
        method = method.super_method while method && method.owner != @target
        method
      end

      # {name => [UnboundMethod, private?]} of all names in the target for Ruby's own method.
      def originals
        CMethod
          .candidates(@target, @name)
          .each_with_object({}) do |name, found|
            method = own_method(name)
            next unless method && method.original_name == @name && method.source_location.nil?
            next unless CMethod.rubys?(method)

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

    # For modules that replace methods by C functions: installs them, and removes them again.
    # @api private
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
