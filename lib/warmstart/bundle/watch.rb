# frozen_string_literal: true

require_relative "watch/calls"
require_relative "watch/commands"
require_relative "watch/globs"
require_relative "watch/hooks"

module Warmstart
  module Bundle
    # Observes which files, folders and variables are used while Bundler evaluates a Gemfile and gemspecs. What cannot
    # be observed (a command, the time, the network) is a refusal: there is no record. It observes only in boots that
    # record, and only in this thread.
    # @api private
    class Watch
      # refusal: a String that says why there can be no record, or nil; activated: [name, version] of gems that RubyGems
      # activated meanwhile.
      attr_reader :refusal, :activated
      # [owner, name] of the method to which a hook passes a call on, until it is called.
      attr_accessor :passed

      def initialize
        @files = {}
        @presences = {}
        @answers = {}
        @variables = {}
        @activated = []
        @failed =
          lambda do |error|
            refuse("the watch failed: #{error.message.lines.first.to_s.chomp}")
            nil
          end
        @hooks = Hooks.new(self)
        @calls = Calls.new(self)
        @trusted = [*Situation.sources, "#{File.expand_path("..", __dir__)}/"]
      end

      # Observes while the block runs. May be nested.
      def run
        return yield if @running

        before = nil
        begin
          attempt do
            @running = Thread.current
            before = environment
            @hooks.install
          end
          yield
        ensure
          attempt { @hooks.uninstall }
          attempt { @hooks.uninstall } # (does something only if the first failed)
          @running = nil
          attempt { compare(before) } if before
        end
      end

      # A failure of Warmstart's must not become one of the Gemfile or of Bundler.
      def attempt(&block)
        Failsafe.guard(@failed, &block)
      end

      # ---- said by the hooks ----

      def watching? = @running.equal?(Thread.current) && !@paused

      # A hook calls this when one of the observed methods is called. The block runs only in the observed thread.
      # @param passed [Array, nil] the method to which the hook then passes the call on
      def note(passed = nil, &block)
        attempt do
          next unless watching?

          paused(&block)
          @passed = passed
        end
      end

      # Looks at the disk without being observed.
      def paused
        before = @paused
        @paused = true
        yield
      ensure
        @paused = before
      end

      # The result depends on the file's content or times, or on the names in a folder.
      def file(path)
        path = absolute(path) or return
        return if path == File::NULL
        return refuse("#{path} is no file that stays as it is") if paused { special?(path) }

        @files[path] ||= Native.fingerprint(path)
      end

      # The result depends only on whether the path exists, and on its type.
      def presence(path)
        path = absolute(path) or return
        @presences[path] ||= paused { type(path) }
      end

      def answer(method, path)
        path = absolute(path) or return
        @answers[[method, path]] = paused { Record.ask(method, path) } unless @answers.key?([method, path])
      end

      def variable(name)
        name = String.try_convert(name) or return
        @variables[name] = Record.digest(ENV.to_h[name]) unless @variables.key?(name)
      end

      def refuse(reason)
        @refusal = reason unless @refusal
      end

      # @return [Code] the instructions that were evaluated
      def code = @calls.code

      # @return [Array] methods that the result depends on, see Calls#used_methods
      def methods_called = @calls.used_methods

      # A Gemfile or a gemspec is being evaluated.
      # @param kind [Symbol] :gemfile or :gemspec
      def evaluate(kind, &block) = @calls.watch(kind, &block)

      # Whether it is a file of Bundler's, RubyGems' or Warmstart's: it is known what these look at.
      def trusted?(path) = path.delete_prefix("<internal:").start_with?(*@trusted)

      # ---- the windows in which others' code runs ----

      def wrap_evaluation(dsl)
        watch = self
        @evaluations = [
          [dsl, dsl.instance_method(:eval_gemfile), :gemfile],
          [::Bundler.singleton_class, ::Bundler.method(:load_gemspec_uncached).unbind, :gemspec],
          [::Gem::Specification.singleton_class, ::Gem::Specification.method(:load).unbind, :gemspec]
        ]
        @evaluations.each do |owner, original, kind|
          CoreExt.silently do
            owner.define_method(original.name) do |*arguments|
              watch.evaluate(kind) { original.bind_call(self, *arguments) }
            end
          end
        end
      end

      def unwrap_evaluation
        @evaluations&.each { |owner, original,| CoreExt.silently { owner.define_method(original.name, original) } }
      end

      # ---- what came out ----

      # @param more [Array<String>] further files whose content matters
      # @param folders [Array<String>] folders whose existence matters
      # @param ignored [Array<String>] folders whose listings are compared, so that no other file in them matters
      def dependencies(more, folders:, ignored:)
        folders.each { |path| presence(path) }
        listed = ignored.map { |folder| "#{folder}/" }
        wanted = more.map { |path| File.expand_path(path) }
        within = ->(path) { listed.any? { |folder| path.start_with?(folder) } && !wanted.include?(path) }
        [*wanted, *ignored].each { |path| file(path) }
        files = @files.reject { |path, _| within.call(path) }
        presences = @presences.reject { |path, _| within.call(path) || files.key?(path) }
        {
          files: files.keys,
          fingerprints: files.values.join,
          presences: presences.keys,
          types: presences.values.join,
          answers: @answers.map { |(method, path), answer| [method, path, answer] },
          variables: @variables
        }
      end

      private

      # (File.stat would raise if there is nothing, and under -d Ruby prints each exception.)
      def type(path)
        if File.file?(path)
          "f"
        elsif File.directory?(path)
          "d"
        else
          File.exist?(path) ? "o" : "-"
        end
      end

      # A terminal, a pipe, a socket, or a file whose content the system computes. (/dev/shm holds ordinary files, in
      # memory.)
      def special?(path)
        return false unless File.exist?(path)
        return true unless File.file?(path) || File.directory?(path)

        real = File.realpath(path)
        real.start_with?("/dev/", "/proc/", "/sys/") && !real.start_with?("/dev/shm/")
      end

      def absolute(path)
        path = path.respond_to?(:to_path) ? path.to_path : String.try_convert(path)
        path && paused { File.expand_path(path) }
      end

      # What the evaluation of a Gemfile must not change: a replay does not evaluate it, so the change would be missing.
      def environment
        {
          "ENV" => ENV.to_h,
          "Object's methods" => ::Object.private_instance_methods(false).size,
          "the current folder" => Dir.pwd,
          :load_path => $LOAD_PATH.map(&:to_s),
          :gems => ::Gem.loaded_specs.dup
        }
      end

      def compare(before)
        after = environment
        name = before.keys.grep(String).find { |key| before[key] != after[key] }
        refuse("#{name} changed while the Gemfile was evaluated") if name
        compare_gems(before, after)
      end

      # RubyGems activates a gem when something requires a file of a default gem's (on Ruby 3.1: uri, for each gemspec
      # that is checked). A replay can repeat that. It cannot repeat any other change of $LOAD_PATH.
      def compare_gems(before, after)
        added = after[:gems].reject { |name, _| before[:gems].key?(name) }.values
        @activated.concat(added.map { |spec| [spec.name, spec.version.to_s] })
        paths = added.flat_map(&:full_require_paths)
        explained =
          after[:load_path] - paths == before[:load_path] - paths &&
            (after[:load_path] - before[:load_path] - paths).empty?
        refuse("$LOAD_PATH changed while the Gemfile was evaluated") unless explained
        unless before[:gems].all? { |name, spec| after[:gems][name].equal?(spec) }
          refuse("gems changed while the Gemfile was evaluated")
        end
      end
    end
  end
end
