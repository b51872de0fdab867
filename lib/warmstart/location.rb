# frozen_string_literal: true

module Warmstart
  # Which application this is, and in which folder its image lies.
  #
  # An image inside an application's folder is used only when that application's own code asked for it: a file of its
  # own required "warmstart/setup" or called Warmstart.setup, and only if this user made it on this machine (a clone may
  # bring one along). Otherwise (-r, RUBYOPT, `warmstart exec`) the user's own cache folder serves, keyed by the
  # application's realpath; the current folder never chooses an image.
  class Location
    # Methods that stand between the file that asks and us: RubyGems', bundled_gems' (which Bundler puts over
    # Kernel#require from Ruby 3.3 on) and Ruby's own. Base labels: without "block in" and class, which differ between
    # Rubies.
    REQUIRE_LABELS = %w[require require_relative gem_original_require no_warning_require load replace_require].freeze
    GEMFILES = %w[Gemfile gems.rb].freeze
    # Do names here mean the same in capitals and in small letters, folders lie on drives, and files belong to nobody
    # that Ruby knows of?
    WINDOWS = !File::ALT_SEPARATOR.nil?

    class << self
      # @param locations [Array<Thread::Backtrace::Location>] the callers of setup
      # @return [String, Symbol, nil] the file whose code asks for Warmstart; :ruby: Ruby itself does, for -r or
      #   RUBYOPT; nil: code without a file (-e, standard input, eval)
      def asker(locations)
        # (A method in C has its caller's path, and none where Ruby itself calls it.)
        location =
          locations.find do |candidate|
            path = candidate.path or next
            !path.start_with?("<internal:", __dir__ || ".") && !REQUIRE_LABELS.include?(candidate.base_label)
          end
        location ? location.absolute_path : :ruby
      end

      # The script that Ruby is about to run, while Ruby itself requires libraries: it says so right before, in $0
      # (ruby.c: process_options, since Ruby 3.2 ruby_opt_init, calls ruby_set_script_name and then require_libraries),
      # and nobody else has had a word yet. "-e" stands for code of the command line, "-" for standard input. A file of
      # such a name (`ruby -- -e`) cannot be told from these.
      # @return [String, nil] a realpath
      def main_script
        path = $PROGRAM_NAME
        %w[-e -].include?(path) || !File.file?(path) ? nil : File.realpath(path)
      rescue SystemCallError
        nil
      end

      # The users who may decide which application a file belongs to: who runs it, root, and its own owner, whose code
      # runs anyway.
      # @return [Array<Integer>] uids
      def owners(file) = [Process.euid, 0, File.stat(file).uid].uniq

      # Why a file below `folder` cannot be of an application in `folder` or above: somebody else may have put it there.
      # The model is git's safe.directory, which asks for the owner only; folders like /tmp belong to root, and
      # everybody may make files in them.
      #
      # A folder's group may write (homes are so where the umask is 002): its members can exchange whatever lies in it,
      # the file's own folder too, so finding an application there gives them nothing new. Not so in a sticky folder:
      # there they can only add.
      # @param owners [Array<Integer>] uids
      # @return [String, nil] nil: nobody else may have
      def doubt(folder, owners)
        return if WINDOWS

        stat = File.stat(folder)
        return "belongs to another user" unless owners.include?(stat.uid)
        return "is writable by others" if stat.world_writable?

        "is sticky and writable by its group" if stat.sticky? && stat.mode.anybits?(0o020)
      rescue SystemCallError
        "cannot be looked at"
      end

      # Looks for an application, at `folder` and above. It is passed over where a folder on the way to it is in doubt.
      # @param folder [String] a realpath
      # @return [Array(String, String, String), Array(String), nil] the application; where it is passed over, also the
      #   folder in doubt and why; nil: there is none
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

      # Has the folder what makes it an application's?
      def application?(folder)
        GEMFILES.any? { |name| File.file?(File.join(folder, name)) } ||
          File.file?(File.join(folder, "config", "application.rb"))
      end

      # What the names of Ruby's libraries end in here, without the dot.
      def library_extension = RUBY_PLATFORM.include?("darwin") ? "bundle" : "so"

      # Ruby's own: they do not change while a program boots, and are not the application's wherever they lie.
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
    end

    # root: realpath of the application's folder (or of a lone script); gemfile: its Gemfile or nil; complaint: nil, or
    # what the user should know.
    attr_reader :root, :gemfile, :complaint

    # @param configuration [Configuration]
    # @param asked_by [String, Symbol, nil] who asks (Location.asker)
    # @param root [String, nil] said by Warmstart.setup's caller
    # @param script [String, nil] the script that runs or would run, where it does not ask itself
    def initialize(configuration, asked_by: nil, root: nil, script: nil)
      @configuration = configuration
      @asked = asked_by.is_a?(String) || !root.nil?
      @root = real(root) || find_root(asked_by.is_a?(String) ? asked_by : script)
      @gemfile = @root && GEMFILES.map { |name| File.join(@root, name) }.find { |path| File.file?(path) }
    end

    # @return [String, nil] the image's folder; nil: there is no place for one (no HOME that is the user's own)
    def directory
      return named if by_environment?

      base = own_cache or return
      named || inside || File.join(base, identity)
    end

    # Where the application's files chose the folder, an image there is believed only if it carries a check that this
    # file makes.
    # @return [String, nil] its path; nil: who owns an image is enough
    def secret
      return if by_environment? || !(named || inside)

      base = own_cache and File.join(base, "secret")
    end

    # Whose files run anyway: the owner of the Gemfile (the application's, when its own code asked). Where it is a link,
    # somebody else than the owner of what it leads to may have chosen that; so may the folder's owner. All of them must
    # be one user, ourselves and root aside.
    # @return [Integer, nil] a uid
    def owner
      return if secret || !(@asked && @gemfile && @root)

      owners = [File.stat(@root), File.lstat(@gemfile), File.stat(@gemfile)].map(&:uid).uniq - [Process.euid, 0]
      owners.first if owners.size == 1
    rescue SystemCallError
      nil
    end

    # A readable, unambiguous name: "shop-0123456789abcdef".
    def identity
      path = release_base(@root) || @root || "ruby"
      "#{File.basename(path).gsub(/[^A-Za-z0-9._-]/, "_")}-#{Native.key_hash(WINDOWS ? path.downcase : path)}"
    end

    # Did the application's own code ask?
    def asked? = @asked

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

    # The folder that a setting names.
    def named
      return @configuration.image_dir if @configuration.image_dir

      File.join(@configuration.cache_dir, identity) if @configuration.cache_dir
    end

    # Who sets a process's environment runs code in it anyway; not so who writes a keyword into a file of a repository.
    def by_environment?
      !named.nil? && @configuration.given[@configuration.image_dir ? :image_dir : :cache_dir] == :environment
    end

    def inside
      File.join(@root, "tmp", "cache", "warmstart") if @asked && @root && File.directory?(@root)
    end

    # Ours in the user's cache folder. Where the home lies in the application's folder, as some hosts have it, it came
    # with the application. So it may have by way of a link.
    def own_cache
      base = Location.user_cache
      if base && !(@root && [base, real_ancestor(base)].any? { |path| "#{path}/".start_with?(File.join(@root, "")) })
        File.join(base, "warmstart")
      end
    end

    # (What is not there yet is no link.)
    def real_ancestor(path)
      path = File.dirname(path) until File.exist?(path)
      File.realpath(path)
    rescue SystemCallError
      path
    end

    # The nearest folder above the file that has a Gemfile or is a Rails root; a script outside of any is its own
    # application.
    def find_root(file)
      return unless file && (file = real(file))

      owners = Location.owners(file)
      found, doubtful, reason = Location.climb(File.dirname(file), owners)
      return found if found && reason.nil?
      return lone(file, owners) unless found

      @complaint =
        "the application in #{found} is passed over: #{doubtful} #{reason}; name it by Warmstart.setup(root:) if it is yours" if @asked
      file
    rescue SystemCallError
      nil
    end

    # A script that asks has its image beside it, unless others may make files there.
    def lone(file, owners)
      folder = File.dirname(file)
      @asked && Location.doubt(folder, owners).nil? ? folder : file
    end

    # The releases of one application, /srv/shop/releases/*, share one image: gems stay warm across a deploy.
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
      File.realpath(path) if path && File.exist?(path)
    rescue SystemCallError
      nil
    end
  end
end
