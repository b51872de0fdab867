# frozen_string_literal: true

require_relative "watch/globs"
require_relative "watch/hooks"

module Warmstart
  module Bundle
    # Observes which files, folders and variables Bundler and RubyGems use while they read the lockfile, resolve, and look
    # for gems. A command or a warning is a refusal: there is no record. It observes only in boots that record, and only
    # in this thread.
    # @api private
    class Watch
      # refusal: a String that says why there can be no record, or nil; activated: [name, version] of gems that RubyGems
      # activated meanwhile; evaluated: paths of the gemspecs that were evaluated.
      attr_reader :refusal, :activated, :evaluated

      # @param places [Places]
      def initialize(places)
        @places = places
        @files = {}
        @presences = {}
        @answers = {}
        @variables = {}
        @activated = []
        @evaluated = []
        @dated = false
        @failed =
          lambda do |error|
            refuse("the watch failed: #{error.message.lines.first.to_s.chomp}")
            nil
          end
        @hooks = Hooks.new(self)
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

      # A failure of Warmstart's must not become one of Bundler's.
      def attempt(&block)
        Failsafe.guard(@failed, &block)
      end

      # ---- said by the hooks ----

      def watching? = @running.equal?(Thread.current) && !@paused

      # A hook calls this when one of the observed methods is called. The block runs only in the observed thread.
      def note(&block)
        attempt { paused(&block) if watching? }
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

        @files[path] ||= Native.metadata(path)
      end

      # The result may depend on more of the file than its content: then contents alone are not compared.
      # @param path [String, nil] nil: it is open already
      def dated(path = nil)
        @dated = true
        file(path) if path
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
        @variables[name] = Record.digest(@places.mark_list(ENV.to_h[name])) unless @variables.key?(name)
      end

      def refuse(reason)
        @refusal = reason unless @refusal
      end

      # Whether it is a file of Bundler's, RubyGems' or Warmstart's: it is known what these look at.
      def trusted?(path) = path.delete_prefix("<internal:").start_with?(*@trusted)

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
          metadata: files.values.join,
          sums: (files.keys.map { |path| Record.content_of(path) } unless @dated),
          folders: @places.folders,
          bound: files.keys.flat_map { |path| File.file?(path) ? @places.named(File.binread(path)) : [] }.uniq,
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

      # What must not change meanwhile, because the change would be missing in a replay.
      def environment
        {
          "ENV" => ENV.to_h,
          "Object's methods" => Object.private_instance_methods(false).size,
          "the current folder" => Dir.pwd,
          :load_path => $LOAD_PATH.map(&:to_s),
          :gems => ::Gem.loaded_specs.dup
        }
      end

      def compare(before)
        after = environment
        name = before.keys.grep(String).find { |key| before[key] != after[key] }
        refuse("#{name} changed meanwhile") if name
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
        refuse("$LOAD_PATH changed meanwhile") unless explained
        refuse("gems changed meanwhile") unless before[:gems].all? { |name, spec| after[:gems][name].equal?(spec) }
      end
    end
  end
end
