# frozen_string_literal: true

module Warmstart
  # Which application this is, and in which folder its image lies.
  #
  # An image inside an application's folder is used only when that application's own code asked for it: a file of its own
  # required "warmstart/setup" or called Warmstart.setup. Otherwise (-r, RUBYOPT, `warmstart exec`) the user's own cache folder
  # serves, keyed by the application's realpath; the current folder never chooses an image.
  class Location
    # Methods that stand between the file that asks and us: RubyGems', bundled_gems' (which Bundler puts over Kernel#require from
    # Ruby 3.3 on) and Ruby's own. Base labels: without "block in" and class, which differ between Rubies.
    REQUIRE_LABELS = %w[require require_relative gem_original_require no_warning_require load replace_require].freeze
    GEMFILES = %w[Gemfile gems.rb].freeze

    class << self
      # @param locations [Array<Thread::Backtrace::Location>] the callers of setup
      # @return [String, nil] the file whose code asks for Warmstart; nil: the command line or the environment does
      def asker(locations)
        location = locations.find do |candidate|
          path = candidate.absolute_path or next
          !path.start_with?("<internal:") && !REQUIRE_LABELS.include?(candidate.base_label) && !path.start_with?(__dir__)
        end
        location&.absolute_path
      end

      # Has the folder what makes it an application's?
      def application?(folder)
        GEMFILES.any? { |name| File.file?(File.join(folder, name)) } || File.file?(File.join(folder, "config", "application.rb"))
      end

      # What the names of Ruby's libraries end in here, without the dot.
      def library_extension = RUBY_PLATFORM.include?("darwin") ? "bundle" : "so"

      # Ruby's own: they do not change while a program boots, and are not the application's wherever they lie.
      def ruby_folders
        return [] unless defined?(RbConfig::CONFIG)

        RbConfig::CONFIG.values_at("rubylibprefix", "rubylibdir", "rubyarchdir", "sitedir", "sitearchdir", "vendordir", "vendorarchdir").compact.uniq
      end
    end

    # root: realpath of the application's folder (or of a lone script); gemfile: its Gemfile or nil.
    attr_reader :root, :gemfile

    # @param configuration [Configuration]
    # @param asked_by [String, nil] the application's file that asks
    # @param root [String, nil] said by Warmstart.setup's caller
    # @param script [String, nil] the main script, where this process is not the program (the command line)
    def initialize(configuration, asked_by: nil, root: nil, script: nil)
      @configuration = configuration
      @asked = !asked_by.nil? || !root.nil?
      @root = real(root) || find_root(asked_by || script || main_script)
      @gemfile = @root && GEMFILES.map { |name| File.join(@root, name) }.find { |path| File.file?(path) }
    end

    # @return [String, nil] the image's folder; nil: there is no place for one (no HOME)
    def directory
      return @configuration.image_dir if @configuration.image_dir
      return File.join(@configuration.cache_dir, identity) if @configuration.cache_dir
      return File.join(@root, "tmp", "cache", "warmstart") if @asked && @root && File.directory?(@root)

      base = Location.user_cache and File.join(base, "warmstart", identity)
    end

    # Whose files run anyway: the owner of the Gemfile (the application's, when its own code asked).
    # @return [Integer, nil] a uid
    def owner
      @asked && @gemfile ? File.stat(@gemfile).uid : nil
    rescue SystemCallError
      nil
    end

    # A readable, unambiguous name: "shop-0123456789abcdef".
    def identity
      path = release_base(@root) || @root || "ruby"
      "#{File.basename(path).gsub(/[^A-Za-z0-9._-]/, "_")}-#{Native.key_hash(WINDOWS ? path.downcase : path)}"
    end

    # Do names here mean the same in capitals and in small letters, and folders lie on drives?
    WINDOWS = !File::ALT_SEPARATOR.nil?

    # The platform's folder for what can be made again. nil without a home.
    def self.user_cache
      home = ENV["HOME"]
      given = ENV[WINDOWS ? "LOCALAPPDATA" : "XDG_CACHE_HOME"]
      return File.expand_path(given) if given && File.absolute_path?(given)
      return unless home && File.absolute_path?(home)
      return File.join(home, "AppData", "Local") if WINDOWS

      RUBY_PLATFORM.include?("darwin") ? File.join(home, "Library", "Caches") : File.join(home, ".cache")
    end

    private

    # The main script, unless the program came from -e or from standard input.
    def main_script
      path = $PROGRAM_NAME
      File.file?(path) ? File.realpath(path) : nil
    rescue SystemCallError
      nil
    end

    # The nearest folder above the file that has a Gemfile or is a Rails root; a script outside of any is its own application.
    def find_root(file)
      return unless file && (file = real(file))

      folder = File.dirname(file)
      until Location.application?(folder)
        parent = File.dirname(folder)
        return @asked ? File.dirname(file) : file if parent == folder

        folder = parent
      end
      folder
    end

    # The releases of one application, /srv/shop/releases/*, share one image: gems stay warm across a deploy.
    def release_base(path)
      return unless path

      releases = File.dirname(path)
      base = File.dirname(releases)
      base if File.basename(releases) == "releases" && File.symlink?(File.join(base, "current"))
    end

    def real(path)
      path && File.realpath(path)
    rescue SystemCallError
      nil
    end
  end
end
