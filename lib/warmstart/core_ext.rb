# frozen_string_literal: true

module Warmstart
  # Every patch of Ruby's own classes, each with install and uninstall. (Native.define_collector, define_exec and
  # define_fork are such patches, too: their C functions replace a few methods for a short time. The hook load_iseq
  # brings others: compile_option=, File.rename, File.symlink and File.link, whose calls may make what is known wrong. While
  # something is recorded, a module is prepended to Warning (recorder/warnings.c), and bundle/watch/hooks.rb replaces
  # methods of File, Dir, ENV and Kernel.)
  # @api private
  module CoreExt
    class << self
      # A callable that is called with the addresses of the C functions that now implement require and require_relative
      # (0: not installed). The profiler sets it, because it patches these functions in turn.
      attr_accessor :require_observer

      # Replacing a method warns under -w. The program must not see such a warning about Warmstart's patches.
      def silently
        return yield unless (verbose = $VERBOSE)

        begin
          $VERBOSE = false
          yield
        ensure
          $VERBOSE = verbose
        end
      end
    end

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

        # Whether the program has a hook that Ruby calls when a method of this module comes or goes.
        def hooked?(target) = defined?(Native) && Native.respond_to?(:hooked?) && Native.hooked?(target)

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
      # then on only calls Ruby's. So it stays where a hook of the program's would be told. A method that the program
      # has meanwhile defined or removed is left alone. If `install` has failed half way (@ours is nil), no code of the
      # program has run since, so everything is restored.
      def uninstall
        @originals = nil if CMethod.hooked?(@target)
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

      # Whether the method of a module that is prepended to the target is in front. Then nothing is replaced: instance_method
      # and alias_method would take that one, whose `super` finds nothing once it is put into the target.
      def prepended?(name)
        (@target.method_defined?(name) || @target.private_method_defined?(name)) &&
          @target.instance_method(name).owner != @target
      end

      # {name => [UnboundMethod, private?]} of all names in the target for Ruby's own method.
      def originals
        return {} if prepended?(@name)

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

    # Methods that are replaced together by C functions.
    # @api private
    class CMethods
      # @yieldreturn [Array<CMethod>] is given what `install` is given
      def initialize(&methods)
        @list = methods
      end

      def install(**given)
        @methods = @list.call(**given)
        CoreExt.silently { @methods.each(&:install) }
      end

      def uninstall
        CoreExt.silently { @methods&.each(&:uninstall) }
        @methods = nil
      end
    end

    # Kernel#require and Kernel.require. With the direct way also require_relative, because Ruby's calls Ruby's require
    # as a C function, and so would not come to ours.
    KernelRequire =
      CMethods.new do |relative:|
        (relative ? %i[require require_relative] : %i[require]).flat_map do |name|
          [
            CMethod.new(::Kernel, name) { Native.define_require(name, false) },
            CMethod.new(::Kernel.singleton_class, name) { Native.define_require(name, true) }
          ]
        end
      end

    # Module#autoload and Kernel#autoload, and since Ruby 4.1 autoload_relative. The direct way must know which files may
    # be the target of an autoload, and the recorder notes which files register themselves as such a target.
    Autoload =
      CMethods.new do
        targets = [::Module, ::Kernel, ::Kernel.singleton_class]
        relatives = ::Module.method_defined?(:autoload_relative) ? targets : []
        [
          *targets.map do |target|
            CMethod.new(target, :autoload) { |original| Native.define_autoload(target, original) }
          end,
          *relatives.map do |target|
            CMethod.new(target, :autoload_relative) { Native.define_autoload_relative(target) }
          end
        ]
      end

    # IO.open, which is also File.open. Psych uses it to open the files that it loads (docs/bundler_and_documents.md).
    FileOpen = CMethods.new { [CMethod.new(::IO.singleton_class, :open) { Native.define_file_open }] }

    # RubyVM::InstructionSequence#script_lines, by a function that also knows the lines of files from the image
    # (ruby/code/script_lines.c). On a Ruby that keeps no lines of files (3.3) nothing is replaced.
    ScriptLines =
      CMethods.new do
        next [] unless Native.files_keep_lines?

        [CMethod.new(RubyVM::InstructionSequence, :script_lines) { Native.define_script_lines }]
      end

    # File.expand_path and File.absolute_path on Windows, where Ruby asks the disk for the long name of each path's last
    # component. The C functions only compute (docs/windows_and_files.md). They call Ruby's own method for what they
    # cannot answer.
    ExpandPath =
      CMethods.new do
        [
          CMethod.new(::File.singleton_class, :expand_path) { Native.define_file_expand_path },
          CMethod.new(::File.singleton_class, :absolute_path) { Native.define_file_absolute_path }
        ]
      end

    # Defines RubyVM::InstructionSequence.load_iseq, the hook that Ruby's loader calls for each file, as a C singleton
    # method.
    # @api private
    module LoadIseq
      class << self
        # @return [Boolean] false if another library (bootsnap, for instance) has defined the hook; it keeps it
        def install
          return false if RubyVM::InstructionSequence.respond_to?(:load_iseq, true)

          CoreExt.silently { Native.define_load_iseq }
          @installed = true
        end

        def installed? = @installed ? true : false

        def uninstall
          CoreExt.silently { Native.undefine_load_iseq } if @installed
          @installed = false
        end
      end
    end
  end
end
