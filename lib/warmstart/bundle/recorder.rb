# frozen_string_literal: true

require_relative "generated_gemspec"
require_relative "watch"

module Warmstart
  module Bundle
    # Makes a record of a real setup: observes how Bundler reads the lockfile and finds the gems, and stores the result.
    # It is used only in a process that may record. In case of doubt it stores a reason instead of a record.
    class Recorder
      # Classes of the sources whose specifications a record can describe.
      SOURCES = %w[
        Bundler::Source::Rubygems
        Bundler::Source::Git
        Bundler::Source::Path
        Bundler::Source::Gemspec
        Bundler::Source::Metadata
      ].freeze

      # @param gemspecs [String] a digest of what the gemspecs of path gems say
      def initialize(situation, gemspecs)
        @situation = situation
        @gemspecs = gemspecs
        @watch = Watch.new(situation.places)
        # (Empty: from here on the old record is void. The answer is the time by the file system's clock.)
        @began = Native.write_record(@situation.id, "")
        @problem = "the folder of the image cannot be written: #{@began[1]}" unless @began.is_a?(Integer)
        @before = { features: $LOADED_FEATURES.dup, autoloads: autoloads, manpath: ENV["MANPATH"] }
      end

      # Observes Bundler while it makes the Definition, and when it finds the gems.
      # @yieldreturn [Bundler::Definition]
      def definition
        @watch.attempt { pause_for_path_gems }
        definition = @watch.run { yield }
        @watch.attempt do
          look_on(definition, :specs_for) { |specs, groups| (@bundled = (@set = specs).to_a) if groups.empty? }
          look_on(::Bundler.rubygems, :add_default_gems_to) { |specs, _| @known = specs }
          @definition = definition
        end
        definition
      end

      # The setup is over, whether it returned or raised. (What gems say of themselves is written down now: later the program
      # may have changed it.)
      # @return [String, nil] why there is no record
      def setup_over
        unwrap
        return @problem if @problem

        record.tap { |reason| Record.refuse(@situation, ::Bundler.default_gemfile.to_s, reason) if reason }
      end

      # Something failed: nothing is recorded.
      def give_up = unwrap

      # Adds the programs of gems for which somebody has asked since: what their gemspecs say, because the program may have
      # changed the specifications.
      def finish
        return unless @record && Native.recording?

        asked = @known.values.select { |spec| spec.instance_variable_get(:@_remote_specification) }
        learned = asked.to_h { |spec| [spec.name, GeneratedGemspec.programs(File.binread(spec.loaded_from))] }.compact
        Record.learn(@situation, @record.content, learned) if learned.any?
      end

      private

      # Observes an object's method: Bundler calls it once, in its setup.
      def look_on(object, name, &result)
        watch = @watch
        (@wrapped ||= []) << [object, name]
        object.define_singleton_method(name) do |*arguments|
          watch.run { super(*arguments) }.tap { |answer| watch.attempt { result.call(answer, *arguments) } }
        end
      end

      # The gemspecs of path gems are loaded for real in each boot.
      def pause_for_path_gems
        watch = @watch
        owner = ::Bundler::Source::Path
        original = owner.instance_method(:load_spec_files)
        return @problem = "load_spec_files of #{owner} is a prepended one" unless original.owner.equal?(owner)

        visibility = owner.private_method_defined?(:load_spec_files) ? :private : :public
        CoreExt.silently do
          owner.define_method(:load_spec_files) do
            load = original.bind(self)
            is_a?(::Bundler::Source::Git) ? load.call : watch.paused(&load)
          end
        end
        @unpause =
          lambda do
            CoreExt.silently { owner.define_method(:load_spec_files, original) }
            owner.send(visibility, :load_spec_files)
          end
      end

      def unwrap
        @wrapped&.each { |object, name| object.singleton_class.send(:remove_method, name) }
        @wrapped = nil
        @unpause&.call
        @unpause = nil
      end

      # ---- the record ----

      # @return [String, nil] why there is no record
      def record
        return "Bundler did not set up this bundle" unless @definition && @bundled && @known

        @features = required_features
        reason = doubt
        return reason if reason

        content =
          result.merge(
            @watch.dependencies(
              [
                *@features.reject { |path| @watch.trusted?(path) },
                *bundlers_files,
                *gemspecs,
                *manual_folders.select { |path| File.directory?(path) }
              ],
              folders: [*gem_folders, *manual_folders],
              ignored: listed_folders
            )
          )
        reason = Record.youth(content, @began) || change(content)
        return reason if reason

        @record = Record.new(content, @situation.places)
        answer = @record.write(@situation)
        answer.is_a?(Integer) ? nil : answer.last
      end

      def doubt = @watch.refusal || changed_settings || changed_lockfile || sources || plugins || foreign_gemspec

      # A replay evaluates no gemspec of an installed gem. One as RubyGems writes it does nothing else than tell.
      def foreign_gemspec
        path = @watch.evaluated.find { |gemspec| !GeneratedGemspec.is?(File.binread(gemspec)) }
        path && "#{path} is not as RubyGems writes it"
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

      def plugins
        return if ::Bundler.settings[:plugins] == false

        indexes = Situation.plugin_indexes.select { |path| File.file?(path) }
        "plugins are installed" if indexes.any? { |path| lists_plugins?(File.read(path)) }
      end

      # @param index [String] as Bundler::YAMLSerializer.dump writes it; after the last plugin is removed, its hashes are
      #   empty
      def lists_plugins?(index) = index.match?(/^plugin_paths:\s*\n +\S/)

      def result
        {
          known: specifications(@known.values),
          bundled: @bundled.map(&:name),
          features: @features,
          constants: loaded_constants,
          activated: @watch.activated,
          gemspecs: @gemspecs,
          set: @set.size != @bundled.size,
          manuals: @before[:manpath] != ENV["MANPATH"] || manual_folders.any? { |path| manuals?(path) }
        }
      end

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

      # Files that a gemspec required, and RubyGems' own: all new features except for Bundler's own files and the
      # libraries that RubyGems contains, which Bundler's autoloads bring.
      def required_features
        ($LOADED_FEATURES - @before[:features]).select do |path|
          File.absolute_path?(path) &&
            (!@watch.trusted?(path) || (path.match?(%r{/rubygems/[^/]+\.rb\z}) && !path.include?("/vendored_")))
        end
      end

      # Bundler's and RubyGems' own files, as far as they are loaded: people edit them to find a fault, and distributions
      # mend them without another version.
      def bundlers_files
        own = Situation.sources
        $LOADED_FEATURES.select { |path| path.start_with?(*own) && path.end_with?(".rb") }
      end

      # Bundler's constants that were autoloads and are not any more, in the order in which they were loaded.
      def loaded_constants
        loaded = @before[:autoloads].keys - autoloads.keys
        loaded.sort_by { |name| $LOADED_FEATURES.index("#{@before[:autoloads][name].delete_suffix(".rb")}.rb") || 0 }
      end

      # (Modules are looked for in the heap, because asking a constant for its value prints a warning if it is
      # deprecated, as one of Bundler's is.)
      # @return [Hash{String => String}] names of Bundler's constants that are not loaded yet, and the files that would
      #   define them
      def autoloads
        name_of = Module.instance_method(:name)
        found = {}
        ObjectSpace.each_object(Module) do |owner|
          name = name_of.bind_call(owner)
          next unless name == "Bundler" || name&.start_with?("Bundler::")

          owner
            .constants(false)
            .each { |constant| (path = owner.autoload?(constant, false)) && found["#{name}::#{constant}"] = path }
        end
        found
      end

      # (Bundler itself does not always check whether a gem is still installed.)
      def gem_folders = @bundled.map(&:full_gem_path)

      # Where Bundler::Runtime#setup_manpath looks. If it finds nothing, a replay spares it the search, as long as these
      # folders have the same names in them. (MANPATH may have named the manuals before, so it alone does not tell.) An
      # entry that does not end in "lib" is itself such a folder.
      def manual_folders = $LOAD_PATH.map { |path| path.to_s.sub(/lib$/, "man") }

      # Bundler looks for "man?/", by a pattern that begins with the folder's own name. Anything called so counts here,
      # because a link or a file may become a folder while the names stay as they are.
      def manuals?(folder) = folder.match?(/[*?\[{\\]/) || Dir.glob("man?", base: folder).any?

      def gemspecs =
        @known.values.reject { |spec| path_gem?(spec) }.filter_map(&:loaded_from).select { |path| File.file?(path) }

      # (A name loads nothing.)
      def path_gem?(spec) = %w[Bundler::Source::Path Bundler::Source::Gemspec].include?(spec.source.class.name)

      # Folders of specifications. Their listings are compared, so the other files in them need not be.
      def listed_folders = [*::Gem::Specification.dirs, ::Gem.default_specifications_dir].uniq

      def change(content)
        path =
          Native.first_changed(content[:files], content[:metadata]) ||
            Native.first_other_type(content[:presences], content[:types])
        path && "#{path} changed meanwhile"
      end
    end
  end
end
