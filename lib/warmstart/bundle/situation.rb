# frozen_string_literal: true

module Warmstart
  module Bundle
    # What a record is for: everything that Bundler's answer depends on and that can be told before it is asked. Another
    # situation has another record, so two that take turns (development and test, two folders) are both quick.
    #
    # Made when Bundler is loaded and configured, and the Gemfile not yet evaluated.
    class Situation
      # Kinds of warnings that Ruby can be told to leave out.
      CATEGORIES = (Warning.respond_to?(:categories) ? Warning.categories : %i[deprecated experimental]).freeze

      # Folders of Ruby's own libraries.
      LIBRARIES = RbConfig::CONFIG.values_at("rubylibdir", "rubyarchdir").map { |folder| "#{folder}/" }.freeze

      # Files and folders of Bundler and of RubyGems.
      def self.sources
        [::Bundler.method(:setup), ::Gem.method(:path)].map { |method| method.source_location.first }
          .flat_map { |path| [path, path.sub(/\.rb\z/, "/")] }
      end

      # What must be compared and need not be told: a configuration or a variable may hold a password.
      # @return [String] 32 hexadecimal digits
      def self.digest(text) = Native.key_hash(text) + Native.key_hash(text.b.reverse)

      # text: one fact a line; id: its hash, by which the record is found.
      attr_reader :text, :id

      # portable_text: the same for whoever runs the program: an image is built by one user, and used by another, in
      # another home. Bundler's and RubyGems' settings in that home are among the other facts; a folder of gems there
      # counts where it exists.
      attr_reader :portable_text

      def initialize
        configure
        facts = self.facts
        @text = facts.join("\n")
        @id = Situation.id(@text)
        @portable_text = [
          "portable",
          *facts.grep_v(/\A(?:home|user|paths) /),
          "paths #{::Gem.path.reject { |path| absent_at_home?(path) }.inspect}"
        ].join("\n")
      end

      def self.id(text) = Native.key_hash(text)

      private

      # What Bundler.setup does before it evaluates the Gemfile. (GEM_HOME and GEM_PATH are set by it.)
      def configure
        ::Bundler.configure_custom_gemfile if ::Bundler.respond_to?(:configure_custom_gemfile)
        ::Bundler.configure
      end

      def facts
        [*versions, *places, *settings, *rubygems, *process, *program]
      end

      # (Ours is read and not loaded: warmstart/native.)
      def versions
        own = File.read(File.join(FOLDER, "version.rb"))[/VERSION = "(.+?)"/, 1]
        [
          "warmstart #{own}",
          "rubygems #{::Gem::VERSION}",
          "bundler #{::Bundler::VERSION} #{::Bundler.method(:setup).source_location.first}"
        ]
      end

      def places
        [
          "gemfile #{::Bundler.default_gemfile}",
          "lockfile #{::Bundler.default_lockfile}",
          "bundle #{::Bundler.bundle_path}",
          "folder #{Dir.pwd}",
          "home #{ENV["HOME"]}",
          "user #{Process.euid}"
        ]
      end

      # Bundler's configuration, from its files (application, user) and from BUNDLE_* variables: groups, without,
      # frozen, path ... (Settings keeps each as a Hash; what it only remembers is in a cache.)
      def settings
        all = ::Bundler.settings
        names =
          all.instance_variables.select do |name|
            all.instance_variable_get(name).is_a?(Hash) && !name.to_s.include?("cache")
          end
        names.sort.map do |name|
          "settings #{name} #{Situation.digest(all.instance_variable_get(name).sort_by { |key, _| key.to_s }.inspect)}"
        end
      end

      def rubygems
        loaded = ::Gem.loaded_specs.map { |name, spec| "#{name} #{spec.version}" }
        [
          "paths #{::Gem.path.inspect}",
          "platforms #{::Gem.platforms.map(&:to_s).inspect}",
          "loaded #{loaded.inspect}",
          "gem variables #{Situation.digest(ENV.select { |name, _| name.start_with?("GEM_", "RUBYGEMS_") }.to_a.sort.inspect)}"
        ]
      end

      def absent_at_home?(path)
        home = ENV["HOME"].to_s
        home.size > 1 && path.start_with?("#{home}/") && !File.directory?(path)
      end

      # What a program has loaded (with -r, or before it sets up its bundle) may have changed any method; options change
      # what Ruby warns of, how it splits lines, and how it reads files. (The image's key has the external encoding.)
      def program
        own = [*LIBRARIES, *Situation.sources, "#{FOLDER}.rb", "#{FOLDER}/"]
        features = $LOADED_FEATURES.select { |path| File.absolute_path?(path) && !path.start_with?(*own) }
        options = [
          $VERBOSE,
          $DEBUG,
          *CATEGORIES.map { |name| Warning[name] },
          $/,
          $\,
          $;,
          $,,
          Encoding.default_internal
        ]
        ["options #{options.inspect}", "loaded files #{features.inspect}"]
      end

      # (Bundler does not restart itself for another version in `ruby -e`, nor where BUNDLER_VERSION is set.)
      def process
        ["load path #{$LOAD_PATH.map(&:to_s).inspect}", "version #{ENV["BUNDLER_VERSION"]} #{$PROGRAM_NAME == "-e"}"]
      end
    end
  end
end
