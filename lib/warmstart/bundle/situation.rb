# frozen_string_literal: true

require_relative "places"

module Warmstart
  module Bundle
    # The situation that a record is for: everything that Bundler's answer depends on and that can be known before
    # Bundler is asked. Each situation has its own record, so two situations that alternate (development and test, two
    # folders) are both quick.
    #
    # It is made when Bundler has evaluated the Gemfile, and before it reads the lockfile. So what the Gemfile has told
    # Bundler, and whatever else it has changed (variables, the load path, gems, loaded files), is part of it.
    # @api private
    class Situation
      # The categories of Ruby's warnings, each of which can be switched off.
      CATEGORIES = (Warning.respond_to?(:categories) ? Warning.categories : %i[deprecated experimental]).freeze

      # Folders of Ruby's own libraries.
      LIBRARIES = RbConfig::CONFIG.values_at("rubylibdir", "rubyarchdir").map { |folder| "#{folder}/" }.freeze

      # Files and folders of Bundler and of RubyGems.
      def self.sources
        [::Bundler.method(:setup), ::Gem.method(:path)].map { |method| method.source_location.first }
          .flat_map { |path| [path, path.sub(/\.rb\z/, "/")] }
      end

      # For values that must be compared but not stored in clear: a setting or a variable may hold a password.
      # @return [String] 32 hexadecimal digits
      def self.digest(text) = Native.key_hash(text) + Native.key_hash(text.b.reverse)

      # text: one fact a line, with marks in the place of the bundle's folders; id: its hash, which is in the record's file
      # name. Neither depends on the user: one may build an image and another use it, with another home. (Bundler's and
      # RubyGems' settings in that home, and plugins there, are among the facts. A folder of gems there counts if it
      # exists. Whether the home or RubyGems' own folders lie in one of the bundle's, and so move with it, is a fact.)
      attr_reader :text, :id

      # @return [Places]
      attr_reader :places

      # @param builder [Bundler::Dsl] which has evaluated the Gemfile
      def initialize(builder)
        @builder = builder
        root = ::Bundler.root
        @places = Places.new([root, root.realpath, ::Bundler.bundle_path].map(&:to_s))
        @text = facts.join("\n")
        @id = Native.key_hash(@text)
      end

      # The files that Bundler::Plugin::Index reads, as its global_index_file and local_index_file have them. (It would
      # know, but then its file were among the loaded ones, and Bundler would remember the index and the user's home,
      # which it does not in plain Ruby.)
      # @return [Array<String>]
      def self.plugin_indexes
        home = ENV.fetch("BUNDLE_USER_HOME") { File.join(::Bundler.rubygems.user_home.to_s, ".bundle") }
        folders = [
          ENV.fetch("BUNDLE_USER_PLUGIN") { File.join(home, "plugin") },
          ::Bundler.app_config_path.join("plugin")
        ]
        folders.map { |folder| File.join(folder, "index") }
      end

      private

      def facts
        [*versions, *gemfiles, *paths, *settings, *rubygems, *process, *program]
      end

      # (The version of Warmstart is read from its file: loading that would define the constant; see warmstart/native.)
      def versions
        own = File.read(File.join(FOLDER, "version.rb"))[/VERSION = "(.+?)"/, 1]
        [
          "warmstart #{own}",
          "rubygems #{::Gem::VERSION}",
          "bundler #{::Bundler::VERSION} #{mark(::Bundler.method(:setup).source_location.first)}"
        ]
      end

      # What the Gemfiles told, and their code: it may also have changed methods.
      def gemfiles
        paths = @builder.instance_variable_get(:@gemfiles)
        [
          "said #{Situation.digest(Said.by_gemfile(@builder, @places))}",
          *paths.map { |path| "evaluated #{mark(path)} #{Native.hash_file(path.to_s)}" }
        ]
      end

      def paths
        # (Debian has RubyGems' own gemspecs elsewhere than in the default folder.)
        special = [ENV["HOME"], user_dir, ::Gem.default_dir, ::Gem.default_specifications_dir]
        [
          "gemfile #{mark(::Bundler.default_gemfile)}",
          "lockfile #{mark(::Bundler.default_lockfile)}",
          "bundle #{mark(::Bundler.bundle_path)}",
          "folder #{mark(Dir.pwd)}",
          "special #{special.map { |path| mark(path) if path && @places.include?(path) }.inspect}",
          "plugins #{Situation.plugin_indexes.map { |path| Native.hash_file(path) }.inspect}"
        ]
      end

      # (Gem.user_dir remembers XDG_DATA_HOME. Where GEM_PATH is set, RubyGems has not asked for it yet, and the program may
      # change it.)
      def user_dir
        known = ::Gem.instance_variable_defined?(:@data_home)
        path = ::Gem.user_dir
        ::Gem.remove_instance_variable(:@data_home) if !known && ::Gem.instance_variable_defined?(:@data_home)
        path
      end

      def mark(path) = @places.mark(path.to_s)

      # Bundler's configuration, from its files (application, user) and from BUNDLE_* variables: groups, without,
      # frozen, path ... (Settings keeps each of these sources in a Hash; a Hash that is only a cache has that in its
      # name.)
      def settings
        all = ::Bundler.settings
        names =
          all.instance_variables.select do |name|
            all.instance_variable_get(name).is_a?(Hash) && !name.to_s.include?("cache")
          end
        names.sort.map do |name|
          values = @places.mark(all.instance_variable_get(name).to_a)
          "settings #{name} #{Situation.digest(values.sort_by { |key, _| key.to_s }.inspect)}"
        end
      end

      def rubygems
        loaded = ::Gem.loaded_specs.map { |name, spec| "#{name} #{spec.version}" }
        variables = ENV.select { |name, _| name.start_with?("GEM_", "RUBYGEMS_") }
        [
          "paths #{@places.mark(::Gem.path.reject { |path| absent_at_home?(path) }).inspect}",
          "platforms #{::Gem.platforms.map(&:to_s).inspect}",
          "loaded #{loaded.inspect}",
          "gem variables #{Situation.digest(variables.transform_values { |value| @places.mark_list(value) }.sort.inspect)}"
        ]
      end

      def absent_at_home?(path)
        home = ENV["HOME"].to_s
        home.size > 1 && path.start_with?("#{home}/") && !File.directory?(path)
      end

      # What the program has loaded (with -r, before it sets up its bundle, or in the Gemfile) may have changed any
      # method. Options decide which warnings Ruby prints, how it splits lines, and how it reads files. (The external
      # encoding is in the image's key.)
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
        ["options #{options.inspect}", *features.map { |path| "loaded #{mark(path)} #{Native.hash_file(path)}" }]
      end

      # (Bundler does not restart itself in another version under `ruby -e`, nor if BUNDLER_VERSION is set.)
      def process
        [
          "load path #{@places.mark($LOAD_PATH.map(&:to_s)).inspect}",
          "version #{ENV["BUNDLER_VERSION"]} #{$PROGRAM_NAME == "-e"}"
        ]
      end
    end
  end
end
