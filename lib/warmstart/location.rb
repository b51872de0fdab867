# frozen_string_literal: true

require_relative "file_names"

module Warmstart
  # Which application this is, and in which folder its image lies.
  #
  # An image inside an application's folder is used only if the application's own code asked for it (one of its files
  # required "warmstart/setup" or called Warmstart.setup), and only if this user made it on this machine (a clone of a
  # repository may contain an image). Otherwise (-r, RUBYOPT, `warmstart exec`) the image lies in the user's own cache
  # folder, keyed by the application's realpath. The current folder never chooses an image.
  # @api private
  class Location
    # Methods that stand between the file that asks and Warmstart: those of RubyGems, of bundled_gems (which Bundler
    # puts over Kernel#require from Ruby 3.3 on) and Ruby's own. These are base labels, without "block in" and class,
    # which differ between Rubies.
    REQUIRE_LABELS = %w[require require_relative gem_original_require no_warning_require load replace_require].freeze
    GEMFILES = %w[Gemfile gems.rb].freeze
    # The files that make a folder an application's.
    MARKS = [*GEMFILES, "config/application.rb"].freeze
    # Whether this system ignores case in names, has drives, and does not tell Ruby who owns a file.
    WINDOWS = !File::ALT_SEPARATOR.nil?

    class << self
      # @param locations [Array<Thread::Backtrace::Location>] the callers of setup
      # @return [String, Symbol, nil] the file whose code asks for Warmstart; :ruby if Ruby itself asks (for -r or
      #   RUBYOPT); nil for code without a file (-e, standard input, eval)
      def asker(locations)
        # (The location of a C method has its caller's path, or none if Ruby itself calls the method.)
        location =
          locations.find do |candidate|
            path = candidate.path or next
            !path.start_with?("<internal:", __dir__ || ".") && !REQUIRE_LABELS.include?(candidate.base_label)
          end
        location ? location.absolute_path : :ruby
      end

      # The script that Ruby is about to run, for when Ruby itself requires libraries (-r, RUBYOPT). Ruby sets $0 right
      # before (ruby.c: process_options, since Ruby 3.2 ruby_opt_init, calls ruby_set_script_name and then
      # require_libraries), so no program has changed it yet. "-e" stands for code of the command line, "-" for standard
      # input; a file of such a name (`ruby -- -e`) cannot be told from these.
      # @return [String, nil] its path
      def main_script
        name = $PROGRAM_NAME
        %w[-e -].include?(name) || !File.file?(name) ? nil : FileNames.expand(name)
      rescue SystemCallError
        nil # (the current folder is gone)
      end

      # The users who may decide which application a file belongs to: the one who runs it, root, and the file's own
      # owner, whose code runs anyway.
      # @param file [String, nil] nil: no code runs yet
      # @return [Array<Integer, String, nil>] uids; on Windows what Native.foreign_owner says of them
      def owners(file = nil)
        return file ? [nil, Native.foreign_owner(file)] : [nil] if WINDOWS

        file ? [Process.euid, 0, File.stat(file).uid].uniq : [Process.euid, 0]
      end

      # Why a file below `folder` must not be taken for part of an application in `folder` or above: somebody else may
      # have put that application there. The model is git's safe.directory. It checks only the owner, which is not
      # enough here: folders like /tmp belong to root, and everybody may create files in them.
      #
      # A folder may be writable by its group (homes are, where the umask is 002): the members of the group can replace
      # anything in it, the file's own folder included, so they gain nothing by an application there. In a sticky folder
      # they cannot replace files of others, but they can add an application: there it matters.
      #
      # On Windows every user may write to most folders by default (of C:\, and of other drives whole), so what they may
      # do does not tell who has put an application there. Its owner does, as in git.
      # @param owners [Array] as Location.owners returns them
      # @return [String, nil] nil: only these owners can have put it there
      def doubt(folder, owners)
        return foreign?(folder, owners) ? "belongs to another user" : nil if WINDOWS

        stat = File.stat(folder)
        return "belongs to another user" unless owners.include?(stat.uid)
        return "is writable by others" if stat.world_writable?

        "is sticky and writable by its group" if stat.sticky? && stat.mode.anybits?(0o020)
      rescue SystemCallError
        "cannot be looked at"
      end

      # Looks for an application in `folder` and above. The application is not used if a folder on the way to it is in
      # doubt.
      # @param folder [String] a realpath
      # @return [Array(String, String, String), Array(String), nil] the application's folder; if it is not to be used,
      #   also the folder that is in doubt and the reason; nil: there is no application
      def climb(folder, owners)
        folders = [folder]
        until application?(folders.last)
          parent = File.dirname(folders.last)
          return if parent == folders.last

          folders << parent
        end
        folders.each { |each| (reason = doubt(each, owners)) and return folders.last, each, reason }
        [folders.last]
      end

      # @return [Boolean] whether the folder holds a file that makes it an application's
      def application?(folder) = MARKS.any? { |name| File.file?(File.join(folder, name)) }

      # Whether the load path makes the feature mean this file, so that it is the library of that name. (A program may
      # have a file of its own whose path ends so, and a constant of its own whose name is the library's.)
      # @param path [String, nil] a file that has been loaded
      # @param feature [String] without .rb
      def means?(feature, path)
        folder = path&.delete_suffix("/#{feature}.rb")
        !folder.nil? && folder != path && $LOAD_PATH.any? { |entry| folder.eql?(entry) }
      end

      # @return [String] the path of a Gemfile's lockfile, as Bundler has it (SharedHelpers.default_lockfile)
      def lockfile(gemfile) = gemfile.end_with?("gems.rb") ? gemfile.sub(/rb\z/, "locked") : "#{gemfile}.lock"

      # The file extension of Ruby's C extensions on this platform, without the dot.
      def library_extension = RUBY_PLATFORM.include?("darwin") ? "bundle" : "so"

      # The folders of Ruby's own libraries. Their files do not change while a program boots, and they are not part of
      # the application, wherever they lie.
      def ruby_folders
        return [] unless defined?(RbConfig::CONFIG)

        RbConfig::CONFIG
          .values_at(
            "rubylibprefix",
            "rubylibdir",
            "rubyarchdir",
            "sitedir",
            "sitearchdir",
            "vendordir",
            "vendorarchdir"
          )
          .compact
          .uniq
      end

      private

      def foreign?(folder, owners)
        marks = MARKS.map { |name| File.join(folder, name) }.select { |path| File.file?(path) }
        [folder, *marks].any? { |path| !owners.include?(Native.foreign_owner(path)) }
      end
    end

    # root: realpath of the application's folder (or of a lone script); complaint: what the user should know, or nil.
    attr_reader :root, :complaint

    # @param configuration [Configuration]
    # @param asked_by [String, Symbol, nil] who asks (Location.asker)
    # @param root [String, nil] what the caller of Warmstart.setup has named
    # @param script [String, nil] the script that runs or is about to run, if it is not itself who asks
    def initialize(configuration, asked_by: nil, root: nil, script: nil)
      @configuration = configuration
      @asked = asked_by.is_a?(String) || !root.nil?
      @file = asked_by.is_a?(String) ? asked_by : script
      @root = real(root) || find_root(@file)
    end

    # @return [String, nil] the application's Gemfile
    def gemfile
      @gemfile ||= @root && GEMFILES.map { |name| File.join(@root, name) }.find { |path| File.file?(path) }
    end

    # @return [String, nil] the image's folder; nil: there is no place for one (no home, or it lies in the application)
    def directory
      return named if by_environment?

      base = own_cache or return
      named || inside || File.join(base, identity)
    end

    # An image in a folder that the application's files have chosen is trusted only if it carries a checksum made with
    # the secret in this file.
    # @return [String, nil] the file's path; nil: an image is trusted for its owner alone
    def secret
      return if by_environment? || !(named || inside)

      base = own_cache and File.join(base, "secret")
    end

    # The user whose files run anyway: the owner of the Gemfile, if the application's own code asked. If the Gemfile is
    # a link, the owner of the link may have chosen what it leads to, and so may the folder's owner. So all of them must
    # be one user, except for the user of this process and root.
    # @return [Integer, nil] a uid
    def owner
      return if secret || !@asked || !(file = gemfile)

      owners = [File.stat(@root), File.lstat(file), File.stat(file)].map(&:uid).uniq - [Process.euid, 0]
      owners.first if owners.size == 1
    rescue SystemCallError
      nil
    end

    # The file that asked, or that runs. If a group may write to it, the group's members run here what they like, so
    # they may as well write to the image. (OpenShift runs a container as any user of group 0, which is why
    # `chgrp -R 0` and `chmod -R g=u` are usual there.)
    # @return [String, nil] a realpath
    def runs = secret ? nil : real(@file)

    # @return [Boolean] whether the file belongs to an application, and is no lone script
    def application? = !@root.nil? && @lone.nil? && Location.application?(@root)

    # @return [String, nil] the application's folder, or that of a lone script
    def folder = @lone ? File.dirname(@lone) : @root

    # @return [String, nil] the folder with the images of other applications, or with files that name their folders
    #   (see Adoption)
    def others
      return own_cache unless by_environment?

      @configuration.cache_dir unless @configuration.image_dir
    end

    # @return [String, nil] the file that names this image's folder to other applications; nil: it is found without. (The
    #   folder of that name without the ending is the image of what runs here by -r, RUBYOPT or `warmstart exec`.)
    def announcement
      others = secret && own_cache
      others && File.join(others, "#{identity}.path")
    end

    # @return [String] a readable, unambiguous name, as "shop-0123456789abcdef"
    def identity
      path = release_base(@root) || @root || "ruby"
      "#{File.basename(path).scrub("_").gsub(/[^A-Za-z0-9._-]/, "_")}-#{Native.key_hash(WINDOWS ? path.downcase : path)}"
    end

    # @return [Boolean] whether the application's own code asked
    def asked? = @asked

    # @return [String, nil] the platform's folder for data that can be made again; nil: there is no home
    def self.user_cache
      home = FileNames.text(ENV["HOME"])
      given = FileNames.text(ENV[WINDOWS ? "LOCALAPPDATA" : "XDG_CACHE_HOME"])
      return File.expand_path(given) if given && File.absolute_path?(given)
      return unless home && File.absolute_path?(home)
      return File.join(home, "AppData", "Local") if WINDOWS

      RUBY_PLATFORM.include?("darwin") ? File.join(home, "Library", "Caches") : File.join(home, ".cache")
    end

    # Why there is no folder for the image.
    def self.no_folder
      return "the user's cache folder lies in the application's, which may have brought it along" if user_cache

      "#{WINDOWS ? "LOCALAPPDATA" : "HOME"} is not set"
    end

    private

    # @return [String, nil] the folder that a setting names
    def named
      return @configuration.image_dir if @configuration.image_dir

      File.join(@configuration.cache_dir, identity) if @configuration.cache_dir
    end

    # Whether the environment names the folder. Whoever sets a process's environment can run code in it anyway. That is
    # not so for whoever writes a keyword into a file of a repository.
    def by_environment?
      !named.nil? && @configuration.given[@configuration.image_dir ? :image_dir : :cache_dir] == :environment
    end

    def inside
      File.join(@root, "tmp", "cache", "warmstart") if @asked && @root && File.directory?(@root)
    end

    # Warmstart's folder in the user's cache folder. If the home lies in the application's folder (as some hosts have
    # it), or the cache folder leads there by a link, its content may have come with the application, and it is not
    # used.
    def own_cache
      base = Location.user_cache
      if base && !(@root && [base, real_ancestor(base)].any? { |path| "#{path}/".start_with?(File.join(@root, "")) })
        File.join(base, "warmstart")
      end
    end

    # (A path that does not exist yet is not a link.)
    def real_ancestor(path)
      path = File.dirname(path) until File.exist?(path)
      FileNames.text(File.realpath(path))
    rescue SystemCallError
      path
    end

    # The nearest folder above the file that has a Gemfile or is a Rails root. A script outside of any is an application
    # by itself.
    def find_root(file)
      return unless file && (file = real(file))

      owners = Location.owners(file)
      found, doubtful, reason = Location.climb(File.dirname(file), owners)
      return found if found && reason.nil?
      return lone(file, owners) unless found

      @complaint =
        "name the application by Warmstart.setup(root: #{found.inspect}) if it is yours; it is passed over: " \
          "#{doubtful} #{reason}" if @asked
      @lone = file
    rescue SystemCallError
      nil
    end

    # The image of a lone script that asks lies beside it, unless others may create files there.
    def lone(file, owners)
      folder = File.dirname(file)
      @asked && Location.doubt(folder, owners).nil? ? folder : @lone = file
    end

    # All releases of one application, /srv/shop/releases/*, share one image: a deploy finds the gems' code in it.
    def release_base(path)
      return unless path

      releases = File.dirname(path)
      base = File.dirname(releases)
      return unless File.basename(releases) == "releases" && File.symlink?(File.join(base, "current"))

      owners = Location.owners(path)
      base if [releases, base].all? { |folder| Location.doubt(folder, owners).nil? }
    rescue SystemCallError
      nil
    end

    def real(path)
      FileNames.text(File.realpath(path)) if path && File.exist?(path)
    rescue SystemCallError
      nil
    end
  end
end
