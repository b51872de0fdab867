# frozen_string_literal: true

require_relative "watch/calls"
require_relative "watch/commands"
require_relative "watch/globs"
require_relative "watch/hooks"

module Warmstart
  module Bundle
    # Looks on while Bundler evaluates a Gemfile and gemspecs: which files, folders and variables they look at. What
    # cannot be watched (a command, the time, the network) is a refusal: no record. Only in recording boots, and only in
    # this thread.
    class Watch
      # refusal: why there can be no record, a String or nil; activated: [name, version] of gems that RubyGems activated
      # meanwhile.
      attr_reader :refusal, :activated

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

      # Watches while the block runs. May be nested.
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
          attempt { @hooks.uninstall } # (has something to do only where the first failed)
          @running = nil
          attempt { compare(before) } if before
        end
      end

      # A failure of ours must not be the Gemfile's, nor Bundler's.
      def attempt(&block)
        Failsafe.guard(@failed, &block)
      end

      # ---- said by the hooks ----

      def watching? = @running.equal?(Thread.current) && !@paused

      # What a hook has to say, if this is the thread that is watched.
      def note(&block)
        attempt { paused(&block) if watching? }
      end

      # Looks at the disk for ourselves, unwatched.
      def paused
        before = @paused
        @paused = true
        yield
      ensure
        @paused = before
      end

      # The file's content or times matter, or a folder's list of names.
      def file(path)
        path = absolute(path) or return
        return if path == File::NULL
        return refuse("#{path} is no file that stays as it is") if paused { special?(path) }

        @files[path] ||= Native.fingerprint(path)
      end

      # Only whether it is there, and of what type.
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

      # What was evaluated, instruction by instruction.
      # @return [Code]
      def code = @calls.code

      # @return [Array] methods that the answer depends on, see Calls#used_methods
      def methods_called = @calls.used_methods

      # A Gemfile or a gemspec is being evaluated.
      # @param kind [Symbol] :gemfile or :gemspec
      def evaluate(kind, &block) = @calls.watch(kind, &block)

      # Bundler's own code, RubyGems' and ours: what it looks at is known.
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
      # @param folders [Array<String>] folders that must be there (or not) as now
      # @param ignored [Array<String>] folders whose listings are watched: no other file in them matters
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

      # (File.stat would raise where there is nothing, and under -d Ruby prints each exception.)
      def type(path)
        if File.file?(path)
          "f"
        elsif File.directory?(path)
          "d"
        else
          File.exist?(path) ? "o" : "-"
        end
      end

      # A terminal, a pipe, a socket, and what the system makes up when it is read. (/dev/shm holds ordinary files, in
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

      # A replay does not evaluate the Gemfile: what it changes would be missing.
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

      # RubyGems activates a gem where something requires a file of a default gem's (Ruby 3.1: uri, for each gemspec
      # that is checked). That can be done again; any other change of $LOAD_PATH cannot.
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
