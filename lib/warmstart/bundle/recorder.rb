# frozen_string_literal: true

require_relative "watch"

module Warmstart
  module Bundle
    # Makes a record of a real setup: observes how Bundler evaluates the Gemfile and finds the gems, and stores the
    # result. It is used only in a process that may record. In case of doubt it stores a reason instead of a record.
    class Recorder
      # Classes of the sources whose specifications a record can describe.
      SOURCES = %w[
        Bundler::Source::Rubygems
        Bundler::Source::Git
        Bundler::Source::Path
        Bundler::Source::Gemspec
        Bundler::Source::Metadata
      ].freeze

      # Nanoseconds. A file is recorded only if its last change was at least this long before the recording began. The
      # first margin is for file systems with a fine clock, the second for those that count seconds.
      MARGIN = 20_000_000
      COARSE_MARGIN = 2_100_000_000

      def initialize(situation)
        @situation = situation
        @watch = Watch.new
      end

      # Observes from here on: the real setup comes next.
      def begin
        @began = Native.write_record(@situation.id, "")
        @problem = "the folder of the image cannot be written: #{@began.last}" unless @began.is_a?(Integer)
        @before = state
        wrap
      end

      # The setup is over, whether it returned or raised.
      # @return [String, nil] why there is no record
      def end
        unwrap
        return @problem if @problem

        record(@before).tap { |reason| Record.refuse(@situation, ::Bundler.default_gemfile.to_s, reason) if reason }
      end

      # Something failed: nothing is recorded.
      def give_up = unwrap

      # Adds what became known since the setup: executables, if somebody has asked for them.
      def finish
        return unless @record && Native.recording?

        known = specifications(@known.values)
        return if known == @record.content[:known]

        @record.content[:known] = known
        @record.write(@situation)
      end

      private

      # ---- looking on ----

      # Replaces the methods that Bundler calls once: `definition` evaluates the Gemfile, `specs_for` finds the gems,
      # and `add_default_gems_to` the rest. (Definition and Dsl are loaded here in the order in which Bundler itself
      # would load them.)
      def wrap
        recorder = self
        bundler = ::Bundler.singleton_class
        original = bundler.instance_method(:definition)
        @watch.wrap_evaluation(::Bundler::Definition && ::Bundler::Dsl)
        CoreExt.silently do
          bundler.define_method(:definition) { |*arguments| recorder.watch_definition(original.bind(self), arguments) }
        end
        @unwrap = -> { CoreExt.silently { bundler.define_method(:definition, original) } }
        rubygems = ::Bundler.rubygems
        rubygems.define_singleton_method(:add_default_gems_to) { |specs| recorder.watch_default_gems { super(specs) } }
      end

      def unwrap
        @unwrap&.call
        @watch.unwrap_evaluation
        rubygems = ::Bundler.rubygems.singleton_class
        rubygems.send(:remove_method, :add_default_gems_to) if rubygems.method_defined?(:add_default_gems_to, false)
      end

      public

      # @api private
      def watch_definition(original, arguments)
        definition = @watch.run { original.call(*arguments) }
        @watch.attempt do
          next if @definition.equal?(definition)

          recorder = self
          definition.define_singleton_method(:specs_for) do |groups|
            recorder.watch_specifications(groups) { super(groups) }
          end
          @definition = definition
        end
        definition
      end

      # @api private
      def watch_specifications(groups)
        specs = @watch.run { yield }
        @set = specs
        @watch.attempt { @bundled = specs.to_a if groups.empty? }
        specs
      end

      # @api private
      def watch_default_gems
        @known = @watch.run { yield }
      end

      private

      def state
        { features: $LOADED_FEATURES.dup, constants: ::Object.constants, manpath: ENV["MANPATH"] }
      end

      # ---- the record ----

      # @return [String, nil] why there is no record
      def record(before)
        return "Bundler did not set up this bundle" unless @definition && @bundled && @known

        @features = required_features(before)
        reason = doubt(before)
        return reason if reason

        content =
          result(before).merge(
            @watch.dependencies(
              [*@features.reject { |path| @watch.trusted?(path) }, *gemspecs],
              folders: gem_folders,
              ignored: listed_folders
            )
          )
        reason = youth(content) || change(content)
        return reason if reason

        @record = Record.new(content)
        answer = @record.write(@situation)
        answer.is_a?(Integer) ? nil : answer.last
      end

      def doubt(before)
        @watch.refusal || @watch.code.problem(before[:constants]) || changed_settings || changed_lockfile || sources ||
          plugins
      end

      # If the lockfile does not suit the Gemfile, Bundler reads the lockfile again, or writes it.
      def changed_lockfile
        settled =
          (
            if @definition.respond_to?(:no_resolve_needed?)
              @definition.no_resolve_needed?
            else
              @definition.nothing_changed? && !@definition.unlocking?
            end
          )
        "the lockfile does not fit the Gemfile" unless settled
      end

      def changed_settings
        settings = ::Bundler.settings
        return "auto_install is set" if settings[:auto_install]

        "a gem has a local override" if settings.respond_to?(:local_overrides) && settings.local_overrides.any?
      end

      def sources
        spec = @bundled.find { |candidate| !SOURCES.include?(candidate.source.class.name) }
        spec && "#{spec.name} comes from #{spec.source.class}"
      end

      # (Bundler::Plugin.index would know, but then its file were among the loaded ones, and Bundler would remember the
      # index and the user's home, which it does not in plain Ruby.)
      def plugins
        return if ::Bundler.settings[:plugins] == false

        plugin_indexes.each { |path| @watch.file(path) }
        "plugins are installed" if plugin_indexes.any? { |path| File.file?(path) && lists_plugins?(File.read(path)) }
      end

      # The files that Bundler::Plugin::Index reads, as global_index_file and local_index_file have them.
      def plugin_indexes
        home = ENV.fetch("BUNDLE_USER_HOME") { File.join(::Bundler.rubygems.user_home.to_s, ".bundle") }
        folders = [
          ENV.fetch("BUNDLE_USER_PLUGIN") { File.join(home, "plugin") },
          ::Bundler.app_config_path.join("plugin")
        ]
        folders.map { |folder| File.join(folder, "index") }
      end

      # @param index [String] as Bundler::YAMLSerializer.dump writes it; after the last plugin is removed, its hashes are
      #   empty
      def lists_plugins?(index) = index.match?(/^plugin_paths:\s*\n +\S/)

      def result(before)
        {
          known: specifications(@known.values),
          bundled: @bundled.map(&:name),
          features: @features,
          activated: @watch.activated,
          dependencies:
            @definition.dependencies.map do |line|
              Record::Dependency.new(line.name, line.groups, line.autorequire, included?(line)).to_a
            end,
          set: @set.size != @bundled.size,
          manuals: before[:manpath] != ENV["MANPATH"],
          values: @watch.code.values,
          absent: @watch.code.constants,
          locals: @watch.code.locals.keys,
          methods: @watch.methods_called
        }
      end

      # (should_include? evaluates an install_if, which may return nil.)
      def included?(dependency) = @watch.run { dependency.should_include? }

      # Uses plain values only, and asks nothing that would make Bundler read a whole gemspec that it has not read.
      def specifications(specs)
        specs.map do |spec|
          full = spec.is_a?(::Gem::Specification)
          Record::Specification.new(
            full ? :full : :stub,
            spec.name,
            spec.version.to_s,
            spec.platform.to_s,
            spec.full_name,
            spec.full_gem_path,
            (full ? spec.load_paths : spec.full_require_paths).map(&:to_s),
            spec.loaded_from&.to_s,
            spec.default_gem? ? true : false,
            gem_dir(spec, full),
            *programs(spec, full)
          ).to_a
        end
      end

      def gem_dir(spec, full)
        return spec.gem_dir if full

        home = File.expand_path("../..", spec.loaded_from)
        spec.full_gem_path if !spec.default_gem? && spec.full_gem_path == File.join(home, "gems", spec.full_name)
      end

      # (A stub that was asked for its executables holds its whole specification by now.)
      def programs(spec, full)
        [spec.executables, spec.bindir] if full || spec.instance_variable_get(:@_remote_specification)
      end

      # ---- what it depends on ----

      # Files that the Gemfile or a gemspec required, and RubyGems' own: all new features except for Bundler's own
      # files, which are loaded when they are needed, and the libraries that RubyGems contains.
      def required_features(before)
        ($LOADED_FEATURES - before[:features]).select do |path|
          File.absolute_path?(path) &&
            (!@watch.trusted?(path) || (path.match?(%r{/rubygems/[^/]+\.rb\z}) && !path.include?("/vendored_")))
        end
      end

      # (Bundler itself does not always check whether a gem is still installed.)
      def gem_folders = @bundled.map(&:full_gem_path)

      def gemspecs = @known.values.filter_map(&:loaded_from).select { |path| File.file?(path) }

      # Folders of specifications. Their listings are compared, so the other files in them need not be.
      def listed_folders = [*::Gem::Specification.dirs, ::Gem.default_specifications_dir].uniq

      # A file that changed just now might change again within the same tick of the clock, and nobody would notice.
      def youth(content)
        margin = (@began % 1_000_000_000).zero? ? COARSE_MARGIN : MARGIN
        index =
          content[:fingerprints]
            .unpack("QQqqQ" * content[:files].size)
            .each_slice(5)
            .find_index { |_, _, mtime, ctime, _| [mtime, ctime].max > @began - margin }
        index && "#{content[:files][index]} is too young"
      end

      def change(content)
        path =
          Native.first_changed(content[:files], content[:fingerprints]) ||
            Native.first_other_type(content[:presences], content[:types])
        path && "#{path} changed meanwhile"
      end
    end
  end
end
