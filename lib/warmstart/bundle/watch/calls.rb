# frozen_string_literal: true

module Warmstart
  module Bundle
    class Watch
      # Sees each of Ruby's own methods that a Gemfile or a gemspec calls, and lets pass those whose answer depends on nothing but
      # their arguments, or on what the hooks watch. Anything else (the time, a random number, output, a socket) is a refusal.
      class Calls
        # Frames of the watch itself, between the method that is called and its caller.
        OURS = [File.expand_path("..", __dir__), File.join(FOLDER, "failsafe.rb")].freeze

        # Every method of these is a function of its arguments.
        VALUES = [String, Symbol, Array, Hash, Integer, Float, Numeric, Rational, Complex, Range, Regexp, MatchData, NilClass, TrueClass, FalseClass,
                  Comparable, Enumerable, Enumerator, Enumerator::Lazy, Struct, Proc, Method, UnboundMethod, Exception, Encoding, BasicObject,
                  Class, Module].freeze
        # The same, of libraries that are loaded only where a Gemfile wants them.
        LIBRARIES = /\A(?:#<Class:)?(?:Psych|JSON|StringScanner|StringIO|Set|Pathname|Shellwords|ERB|YAML)\b/.freeze

        KERNEL = %i[instance_variable_get instance_variable_set instance_variable_defined? instance_variables is_a? kind_of? instance_of? nil? respond_to?
                    respond_to_missing? send public_send __send__ class dup clone initialize_dup initialize_clone initialize_copy freeze frozen? tap then
                    yield_self == === != !~ =~ <=> eql? to_s inspect format sprintf String Array Integer Float Hash Rational raise fail catch throw loop lambda proc
                    block_given? binding eval instance_eval require require_relative __method__ __dir__ __callee__ caller caller_locations itself extend
                    singleton_class define_singleton_method method methods singleton_methods instance_exec enum_for to_enum Pathname hash].freeze
        FILE = %i[basename dirname extname join split expand_path absolute_path absolute_path? fnmatch fnmatch? path].freeze
        READING = %i[read gets each_line readlines readline each close closed? eof? eof set_encoding external_encoding internal_encoding binmode rewind pos
                     path to_path initialize fileno].freeze
        FOLDER = %i[chdir pwd getwd home each children entries each_child close read path to_path initialize].freeze
        # What Ruby calls where something is defined. (The recorder of code has such a method, too.)
        CALLBACKS = %i[method_added singleton_method_added method_removed singleton_method_removed inherited included extended prepended const_added].freeze
        VARIABLES = %i[inspect to_s class freeze].freeze
        # What Warmstart's own require asks Ruby in the name of the file that requires.
        LOADER = [RubyVM, RubyVM::InstructionSequence, Warning, TracePoint].flat_map { |owner| [owner, owner.singleton_class] }.freeze

        def initialize(watch)
          @watch = watch
        end

        # Watches while the block runs. May be nested (a Gemfile that has a gemspec).
        def watch
          return yield if @trace

          begin
            @watch.attempt { (@trace = trace).enable(target_thread: Thread.current) }
            yield
          ensure
            @watch.attempt { forget }
            @watch.attempt { forget }                  # (as in Watch#run)
          end
        end

        private

        def forget
          @trace&.disable
          @trace = nil
        end

        def trace
          TracePoint.new(:c_call, :call) do |call|
            next unless @watch.watching? && !@watch.refusal

            path = call.path
            internal = path.start_with?("<internal:")
            next if call.event == :call && !internal
            next if path == __FILE__ || @watch.trusted?(path)

            @watch.note { check(call, internal) }
          end
        end

        def check(call, internal)
          return if allowed?(call.defined_class, call.method_id, call.self)

          caller = internal ? outside : call.path
          return if caller.nil? || @watch.trusted?(caller)

          @watch.refuse("#{caller} calls #{describe(call)}, which cannot be watched")
        end

        def describe(call)
          object = call.self
          return "ENV.#{call.method_id}" if object.equal?(ENV)

          object.is_a?(Module) ? "#{object}.#{call.method_id}" : "#{call.defined_class}##{call.method_id}"
        end

        # Who called a method that Ruby itself has written in Ruby.
        def outside
          caller_locations.map(&:path).find { |path| !path.start_with?("<internal:", *OURS) }
        end

        def allowed?(owner, name, object)
          return false if object.equal?(ARGV) || object.equal?($stdin)
          return true if VALUES.include?(owner) || LOADER.include?(owner) || CALLBACKS.include?(name)

          return KERNEL.include?(name) || Hooks::COMMANDS.include?(name) if [Kernel, Kernel.singleton_class].include?(owner)
          return Hooks::VARIABLE.include?(name) || VARIABLES.include?(name) if owner == ENV.singleton_class

          singleton?(owner) ? singleton_allowed?(owner, object, name) : instance_allowed?(owner, name, object)
        end

        def singleton?(owner) = owner.is_a?(Class) && owner.singleton_class?

        def singleton_allowed?(owner, object, name)
          if owner == File.singleton_class || owner == IO.singleton_class
            return FILE.include?(name) || [Hooks::CONTENT, Hooks::PRESENCE, Hooks::ANSWER, Hooks::WRITING, %i[open new popen]].any? { |list| list.include?(name) }
          end
          return Hooks::PRESENCE.include?(name) || Hooks::ANSWER.include?(name) || Hooks::CONTENT.include?(name) if owner == FileTest.singleton_class
          return FOLDER.include?(name) || Hooks::LISTING.include?(name) || %i[glob [] exist?].include?(name) if owner == Dir.singleton_class
          return %i[spawn].include?(name) if owner == Process.singleton_class

          VALUES.include?(object) || object.equal?(TOPLEVEL_BINDING.receiver) || owner.inspect.match?(LIBRARIES) || attribute?(owner, name)
        end

        # Attributes and members of a Struct, which Ruby makes itself for a class that is written in Ruby. (A C function has no place in a source.)
        def attribute?(owner, name)
          return false unless owner.method_defined?(name) || owner.private_method_defined?(name)

          path, = owner.instance_method(name).source_location
          path ? !path.start_with?("<internal:") : owner.is_a?(Class) && owner < Struct
        end

        def instance_allowed?(owner, name, object)
          return READING.include?(name) && !(object.is_a?(IO) && object.fileno <= 2) if [IO, File].include?(owner)
          return FOLDER.include?(name) if owner == Dir
          return %i[file? directory? size mtime symlink? executable? readable? exist?].include?(name) if owner == File::Stat
          return %i[local_variable_get local_variable_set local_variable_defined? receiver eval irb].include?(name) && name != :irb if owner == Binding

          owner.inspect.match?(LIBRARIES) || attribute?(owner, name)
        end
      end
    end
  end
end
