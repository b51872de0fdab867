# frozen_string_literal: true

require "digest"
require "fileutils"
require "rbconfig"

# The applications and tools whose boots are compared: by bin/demo, by bench/ and by the tests. Each of them can be
# started in several variants (plain Ruby, bootsnap, Warmstart) through the variable BOOT_WITH, which its config/boot.rb
# reads. Nothing here starts anything or needs a gem; it says what to start:
#
#   app = Examples["rails_app"]
#   abort "run examples/setup" unless app.set_up?
#   app.clear_caches                                       # the next boot is cold
#   system(app.environment("bootsnap"), *app.boot_command, chdir: app.folder)
#
#   # What plain Ruby has loaded when the application is ready, a line each:
#   IO.popen([app.environment("plain"), *app.script_command(Examples::PRINT_FEATURES), chdir: app.folder], &:readlines)
module Examples
  FOLDER = __dir__

  # The minor version of Ruby chooses the bundle: Gemfile-3.1 and its lockfile, Gemfile-3.3, ...
  RUBY = RUBY_VERSION[/\d+\.\d+/]

  # The values of BOOT_WITH.
  VARIANTS = %w[plain bootsnap bootsnap_without_yaml warmstart].freeze

  # Work of TZInfo's that Warmstart leaves out (docs/speed.md, "Tweaks") makes much of its lead over bootsnap in a Rails
  # application. The first leaves the same work out for bootsnap, the second has Warmstart do it.
  TZINFO_VARIANTS = %w[bootsnap_without_tzinfo warmstart_without_tweaks].freeze

  # A script for Application#script_command.
  PRINT_FEATURES = File.join(FOLDER, "print_features.rb")

  # Variables of the caller that would change what is started. They are taken out of its environment. What Bundler is
  # told about the network (mirrors, certificates) stays.
  FOREIGN_VARIABLES = /\A(?:BUNDLER_|BOOTSNAP_|DISABLE_BOOTSNAP|WARMSTART_|RAILS_|SPREE_|JEKYLL_|RUBOCOP_|
                           BUNDLE_(?:GEMFILE|LOCKFILE|PATH|WITH|WITHOUT|ONLY|FROZEN|DEPLOYMENT|BIN|BIN_PATH)\z|
                           (?:RUBYOPT|RUBYLIB|GEM_HOME|GEM_PATH|RACK_ENV|REDIS_URL|DATABASE_URL|PORT)\z)/x

  # What all examples have in common: a folder with a Gemfile, and a command whose boot is measured.
  class Application
    # The example's name for Examples[], and its absolute folder, in which its commands run.
    attr_reader :name, :folder

    def initialize(name, folder: name)
      @name = name
      @folder = File.join(FOLDER, folder)
    end

    # The Gemfile for the Ruby that runs this. If the repository has none, examples/setup makes one. Its lockfile is used
    # as it is.
    def gemfile = File.join(folder, "Gemfile-#{RUBY}")

    def lockfile = "#{gemfile}.lock"

    def variants = VARIANTS

    # The environment of a variant, for Process.spawn: names and values; a variable whose value is nil is removed.
    def environment(variant = "plain")
      variants.include?(variant) or raise ArgumentError, "no variant #{variant}; one of #{variants.join(", ")}"

      foreign = ENV.keys.grep(FOREIGN_VARIABLES).to_h { |key| [key, nil] }
      foreign.merge("BUNDLE_GEMFILE" => gemfile, "BOOT_WITH" => variant)
    end

    # The folders in which the accelerators keep what they know. Without these folders a boot is cold.
    def cache_folders = [File.join(folder, "tmp/cache")]

    # A cache folder for a variant that is to share none with the others.
    def cache_folder(variant) = File.join(folder, "tmp/cache", variant)

    def clear_caches = FileUtils.rm_rf(cache_folders)

    # True when examples/setup has run for this Ruby and nothing that it depends on has changed since.
    def set_up?
      File.file?(stamp) && File.read(stamp) == digest && artefacts.all? { |path| File.exist?(path) }
    end

    # Called by examples/setup when it is done.
    def mark_as_set_up
      FileUtils.mkdir_p(File.dirname(stamp))
      File.write(stamp, digest)
    end

    private

    def ruby(*arguments) = [RbConfig.ruby, *arguments]

    # The file lies in the application's folder, beside its databases, because several working copies may share one
    # folder of gems.
    def stamp = File.join(folder, "tmp/set_up", RUBY)

    def digest
      inputs.sort.each_with_object(Digest::SHA256.new << RUBY_DESCRIPTION) do |path, digest|
        digest << path << File.binread(path)
      end.hexdigest
    end

    # What the result of examples/setup depends on.
    def inputs
      Dir[File.join(folder, "Gemfile"), gemfile, lockfile, File.join(FOLDER, "setup"),
          File.join(FOLDER, "../warmstart.gemspec"), File.join(FOLDER, "../lib/warmstart/version.rb")]
    end

    # What examples/setup makes.
    def artefacts = [lockfile, File.join(FOLDER, "tmp/gems/ruby", RbConfig::CONFIG["ruby_version"])]
  end

  # A Rails application. Boots in production mode (everything is loaded), in development mode and in test mode.
  class RailsApplication < Application
    MODES = %w[production development test].freeze

    # Paths of GET requests that show the work of the application: pages, and answers of its API.
    attr_reader :request_paths

    def initialize(name, request_paths:, **options)
      super(name, **options)
      @request_paths = request_paths
    end

    def variants = super + TZINFO_VARIANTS

    def environment(variant = "plain", mode: "production")
      MODES.include?(mode) or raise ArgumentError, "no mode #{mode}; one of #{MODES.join(", ")}"

      more = { "RAILS_ENV" => mode, "SECRET_KEY_BASE_DUMMY" => "1" }
      return super(variant).merge(more) unless variant == "warmstart_without_tweaks"

      # (In a folder of its own, because an image remembers how much memory a command keeps.)
      super("warmstart").merge(more, "WARMSTART_TWEAKS" => "none", "WARMSTART_CACHE_DIR" => cache_folder("no_tweaks"))
    end

    # Boots the application and does nothing with it, or evaluates a bit of Ruby in it.
    def boot_command(code = "1") = ruby("bin/rails", "runner", code)

    # Boots the application and runs a file in it.
    def script_command(path) = ruby("bin/rails", "runner", path)

    # Before a server's command: it takes descriptor 3, a socket that listens already, as from systemd (puma:
    # create_activated_fds). So nobody else can take the port meanwhile, and a request waits until the server has booted.
    ACTIVATED = ["sh", "-c", 'LISTEN_FDS=1 LISTEN_PID=$$ exec "$@"', "sh"].freeze

    # Serves HTTP until it gets SIGTERM or SIGINT. The caller chooses the port, so several can run at a time.
    def server_command(port:)
      ruby("bin/rails", "server", "--binding", "127.0.0.1", "--port", port.to_s, "--pid", pidfile(port))
    end

    def test_command(*files) = ruby("bin/rails", "test", *files)

    # The databases, by mode.
    def database(mode) = File.join(folder, "storage", RUBY, "#{mode}.sqlite3")

    private

    def pidfile(port) = File.join(folder, "tmp/pids/server-#{port}.pid")

    def inputs = super + Dir[File.join(folder, "{config/database.yml,db/**/*.rb,lib/tasks/*.rake}")]

    def artefacts = super + MODES.map { |mode| database(mode) }
  end

  # A command-line tool: its boot is most of what it does.
  class Tool < Application
    # What can be measured besides booting: names and argument lists.
    attr_reader :commands

    def initialize(name, commands:, **options)
      super(name, **options)
      @commands = commands.transform_values { |arguments| ruby("bin/#{name}", *arguments) }
    end

    def boot_command = commands.fetch("version")

    # Boots the tool to say its version (to stderr), and then runs a file in it.
    def script_command(path)
      ruby("-e", <<~RUBY, "--", "--version")
        $stdout = STDERR
        at_exit { $stdout = STDOUT; load #{path.dump} }
        load "bin/#{name}"
      RUBY
    end
  end

  ALL = [
    RailsApplication.new("rails_app", request_paths: %w[/ /books/book-1 /books.json /api/v1/books /authors /up]),
    RailsApplication.new("shop", request_paths: %w[/ /products/kettle /catalogue /api/products /up]),
    Tool.new("rubocop", folder: "tools", commands: {
               "version" => %w[--version],
               "check" => %w[--cache false --config .rubocop.yml ../rails_app/app/models]
             }),
    Tool.new("jekyll", folder: "tools", commands: {
               "version" => %w[--version],
               "build" => %w[build --quiet --disable-disk-cache --source site --destination tmp/site]
             })
  ].freeze

  # The example of that name.
  def self.[](name)
    ALL.find { |example| example.name == name } or
      raise ArgumentError, "no example #{name}; one of #{ALL.map(&:name).join(", ")}"
  end
end
