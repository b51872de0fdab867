# frozen_string_literal: true

require_relative "../test_helper"
require_relative "../support/standby_program"
require_relative "../../examples/applications"
require "json"

# Commands of the example applications from their standbys, while the applications change; and that a standby's record
# has all that a boot of them asks for. Applications that are not set up are set up here (a few minutes, once a Ruby).
#
# That takes minutes, so bin/test plays the quickest of them. WARMSTART_APPLICATIONS=all plays all.
class RailsStandbyTest < TestCase
  CLIENT = StandbyProgram::CLIENT
  COMMANDS = {
    "rails_app" => %w[bin/rails runner 1],
    "shop" => %w[bin/rails runner 1],
    "rubocop" => %w[bin/rubocop --version],
    "jekyll" => %w[bin/jekyll --version]
  }.freeze
  ALL = ENV["WARMSTART_APPLICATIONS"] == "all"

  def self.state_of(name)
    (@states ||= {})[name] ||= begin
      output, status =
        Open3.capture2e(
          RbConfig.ruby,
          File.join(Examples::FOLDER, "setup"),
          name == "rubocop" || name == "jekyll" ? "tools" : name
        ) unless Examples[name].set_up?
      if status.nil? || status.success?
        :done
      else
        "examples/setup #{name} failed: #{output.lines.grep(/\S/).last(3).join.strip}"
      end
    end
  end

  def setup
    skip "there is no client but on Linux" unless CLIENT
    @base = File.realpath(temporary_folder)
    @runtime = File.join(@base, "runtime").tap { |folder| Dir.mkdir(folder, 0o700) }
  end

  def teardown
    system(@environment, CLIENT, "--stop", out: File::NULL) if @environment
  end

  def example(name)
    state = self.class.state_of(name)
    missing state unless state == :done
    Examples[name]
  end

  def with_standby(environment)
    environment.merge(
      "WARMSTART_CACHE_DIR" => File.join(@base, "cache"),
      "XDG_RUNTIME_DIR" => @runtime,
      "WARMSTART_STANDBY" => "1",
      "CI" => nil
    )
  end

  def standbys = JSON.parse(Open3.capture2(@environment, CLIENT, "--status", "--json").first)
  def hits = standbys.sum { |one| one["commands"] }

  def by_client(command, folder) = Open3.capture3(@environment, CLIENT, "--", *command, chdir: folder, stdin_data: "")

  # Runs the command until it comes from its standby. Yields each result.
  def until_from_standby(command, folder = @folder)
    deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + Program.patience(120)
    loop do
      before = standbys.to_h { |one| one.values_at("pid", "commands") }
      result = by_client(command, folder)
      yield result
      states = standbys
      return if states.any? { |one| one["commands"] > before.fetch(one["pid"], 0) }

      unfit = states.any? { |one| one["state"] == "unfit" && one["command"] == command.join(" ") }
      flunk states.inspect if unfit || Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
      sleep 0.2
    end
  end

  # What is not in a record by this name: what is made up when it is read, devices, Warmstart's own image and record; files
  # of the C library (standby_guards_test changes some of these).
  def known_elsewhere?(path) =
    path.start_with?("/proc/", "/sys/", "/dev/", "#{@base}/") || path == "/" ||
      path.match?(%r{/locale/|/gconv|/etc/ld\.so})

  # What the dynamic linker looks for: its folder is in the record, with the names in it.
  PREFERRED = %r{/(?:glibc-hwcaps|tls|x86_64|haswell|avx512_1)(?:/.*|\z)}
  def in_library_folder?(path, known)
    folder = path[PREFERRED] ? path.sub(PREFERRED, "") : (File.dirname(path) if path.match?(/\.so[.\d]*\z/))
    folder && known.key?(folder)
  end

  # Makes a standby under strace. Returns all paths that its process has named until it listens for clients.
  def paths_of_boot(command, folder)
    log = File.join(@base, "strace")
    strace =
      spawn(
        @environment,
        "strace",
        "-f",
        "-y",
        "-s",
        "4096",
        "-e",
        "trace=%file,listen",
        "-o",
        log,
        CLIENT,
        "--",
        *command,
        chdir: folder,
        in: File::NULL,
        out: File::NULL
      )
    begun = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    until (waits = standbys.find { |one| one["state"] == "waits" })
      ended = Process.wait(strace, Process::WNOHANG)
      passed = Process.clock_gettime(Process::CLOCK_MONOTONIC) - begun
      # (A boot may take a minute, and strace makes it several times slower.)
      return [] if passed > 60 && (ended || standbys.any? { |one| one["why"].start_with?("a minute passed") })
      flunk "no standby: #{standbys}" if ended || passed > Program.patience(200)
      sleep 0.2
    end
    inputs = Open3.capture2(@environment, CLIENT, "--inputs").first.lines(chomp: true)
    system(@environment, CLIENT, "--stop", out: File::NULL)
    Process.wait(strace)
    lines = File.readlines(log).grep(/\A#{waits["pid"]} /).take_while { |line| !line.include?(" listen(") }
    # (At its end the standby itself looks at its descriptors, and then for the folders of what was not there.)
    lines = lines.first(lines.rindex { |line| line.include?("\"/proc/self/fd\"") } || 0)
    # (A folder's descriptor is shown with its path: openat(5</folder>, "name").)
    asked =
      lines.filter_map do |line|
        at, path = line.match(/\A\d+ +(?!execve)\w+\((?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"([^"]+)"/)&.captures
        path && File.expand_path(path, at || folder)
      end
    [asked.uniq, inputs]
  end

  COMMANDS
    .slice(*(ALL ? COMMANDS.keys : ["rubocop"]))
    .each do |name, command|
      test "every path that strace sees in a boot of #{name} is in the record of its standby" do
        missing "strace" unless system("strace", "-o", File::NULL, "true", err: File::NULL)
        app = example(name)
        @environment = with_standby(app.environment("warmstart"))
        asked, inputs = paths_of_boot(command, app.folder)
        asked or skip "under strace the boot of #{name} takes longer than a standby's may"
        known =
          inputs.flat_map do |line|
            line.strip.split(" ", 2).last.to_s.then { |path| [path, path.sub(/: [^:]*\z/, "")] }
          end
        # (A real path that is the same says that each folder in it is.)
        parents =
          inputs
            .filter_map { |line| line[%r{\A  realpath (/.*)/}, 1] }
            .uniq
            .flat_map { |path| path.split("/").each_index.map { |size| path.split("/").first(size + 1).join("/") } }
        known = [*known, *parents].to_h { |path| [path.start_with?("/") ? File.expand_path(path) : path, true] }
        assert_operator asked.size, :>, 500
        assert_empty(
          asked.reject { |path| known.key?(path) || known_elsewhere?(path) || in_library_folder?(path, known) }
        )
      end
    end

  # Plays a command of the tools in plain Ruby, and by the client until it comes from its standby: both are the same.
  # @return what the block says of the effects of the last one
  def assert_same_from_standby(command)
    plain = Open3.capture3(plain_environment, *command, chdir: @folder, stdin_data: "")
    plain = [*normal(plain), yield]
    until_from_standby(command) { |result| assert_equal plain, [*normal(result), yield] }
    plain.last
  end

  # Plays it once in plain Ruby and once by the client.
  def assert_same(command)
    plain = normal(Open3.capture3(plain_environment, *command, chdir: @folder, stdin_data: ""))
    assert_equal plain, normal(by_client(command, @folder)), command.join(" ")
    plain
  end

  # (without durations and times)
  def normal((out, error, status)) = [out, error].map { |text| timeless(text) } << status.exitstatus

  def timeless(text) = text.gsub(/[\d.]+ seconds/, "SECONDS").gsub(/\d{4}-\d\d-\d\dT[\d:+-]+/, "TIME")

  ALL &&
    test("jekyll builds a site from its standby, and sees what has changed") do
      tools = example("jekyll")
      @folder = tools.folder
      @environment = with_standby(tools.environment("warmstart"))
      site, made = %w[site made].map { |name| File.join(@base, name) }
      FileUtils.cp_r(File.join(@folder, "site"), site)
      command = ["bin/jekyll", "build", "--source", site, "--destination", made, "--disable-disk-cache"]
      pages = -> do
        Dir.glob("**/*.*", base: made).sort.to_h { |name| [name, timeless(File.read(File.join(made, name)))] }
      end
      build = -> { assert_same_from_standby(command) { pages.call.tap { FileUtils.rm_rf(made) } } }
      first = build.call
      assert_operator first.size, :>, 5
      File.write(File.join(site, "about.md"), "---\nlayout: default\ntitle: About\n---\nAnother text.\n")
      File.write(File.join(site, "more.md"), "---\nlayout: default\ntitle: More\n---\nMore.\n")
      second = build.call
      assert_includes second.keys, "more/index.html"
      change = File.read(File.join(site, "_config.yml")).sub("The Boot Log", "Another Log")
      File.write(File.join(site, "_config.yml"), change)
      assert_includes build.call.fetch("index.html"), "Another Log"
    end

  # While the server of its own runs, RuboCop's command is only a client of that. So the command is an ordinary one then.
  ALL &&
    test("rubocop beside its own server") do
      tools = example("rubocop")
      @environment =
        with_standby(tools.environment("warmstart")).merge("RUBOCOP_CACHE_ROOT" => File.join(@base, "cops"))
      @folder = File.join(@base, "application")
      write(".rubocop.yml", "AllCops:\n  NewCops: enable\n")
      write("a.rb", "a = 1\n")
      rubocop = [File.join(tools.folder, "bin/rubocop"), "a.rb"]
      assert_same_from_standby(rubocop) { nil }
      by_client([rubocop.first, "--start-server"], @folder)
      running = [rubocop.first, "--server-status"]
      assert_match(/is running/, assert_same(running).first)
      assert_includes assert_same(rubocop).first, "Lint/UselessAssignment"
      write("a.rb", "puts 1\n")
      2.times { assert_same([*rubocop, "--server"]) }
      assert_equal 0, hits, "a client of RuboCop's server came from a standby (the one without it has ended)"
      by_client([rubocop.first, "--stop-server"], @folder)
      assert_match(/is not running/, assert_same(running).first)
      assert_same_from_standby(rubocop) { nil }
    ensure
      system(plain_environment, rubocop.first, "--stop-server", :chdir => @folder, %i[out err] => File::NULL) if rubocop
    end

  # What a command of the copy prints: something of each file that is changed, and all features in their order.
  REPORT = <<~'RUBY'
    puts Branch.instance_methods(false).sort.inspect, Branch.const_defined?(:MARK), I18n.t("library.name"), Money.default_currency.iso_code
    puts ApplicationController.render(inline: "<%= render 'shared/standby' %>"), ENV["FROM_DOTENV"].inspect, ENV["READ_BY_BOOT"].inspect, ENV["UNREAD"].inspect
    puts ActiveRecord::Base.connection_db_config.configuration_hash.slice(:pool, :timeout).inspect, Rails.configuration.x.standby.inspect
    puts Bundler.definition.dependencies.size, Gem.loaded_specs["local_gem"]&.version.to_s, defined?(LocalGem::VERSION) && LocalGem::VERSION, SHADOWED
    puts Rails.application.credentials.to_h.inspect, Rails.configuration.x.number.inspect
    puts $LOADED_FEATURES.grep_v(%r{/warmstart|/rubygems|/bundler})
  RUBY

  # A copy of rails_app with a gem of its own, which may be changed.
  def copy
    app = example("rails_app")
    @folder = File.join(@base, "application")
    FileUtils.mkdir_p([@folder, File.join(@base, "local_gem/lib")])
    FileUtils.cp_r(
      Dir.children(app.folder).reject { |name| %w[tmp log].include?(name) }.map { |name| File.join(app.folder, name) },
      @folder
    )
    boot =
      change("config/boot.rb") do |text|
        text.sub("../../../lib/warmstart/bundler", File.join(Program::REPOSITORY, "lib/warmstart/bundler"))
      end
    assert_includes boot, Program::REPOSITORY
    write(
      "../local_gem/local_gem.gemspec",
      "Gem::Specification.new { |spec| spec.name, spec.version, spec.summary, spec.authors, spec.files = 'local_gem', '1.0', 'text', ['one'], ['lib/local_gem.rb'] }\n"
    )
    write("../local_gem/lib/local_gem.rb", "module LocalGem; VERSION = 'one'; end\n")
    change(".bundle/config") do |text|
      text.gsub(/^BUNDLE_PATH: .*/, "BUNDLE_PATH: #{File.join(Examples::FOLDER, "tmp/gems").dump}")
    end
    gemfile = File.basename(app.gemfile)
    change(gemfile) do |text|
      "#{text.gsub("eval_gemfile \"Gemfile\"", "eval_gemfile #{File.join(@folder, "Gemfile").dump}")}\ngem \"local_gem\", path: \"../local_gem\"\n"
    end
    change("Gemfile") { |text| text.gsub(%r{path: "\.\./\.\."}, "path: #{Program::REPOSITORY.dump}") }
    @environment = with_standby(app.environment("warmstart").merge("BUNDLE_GEMFILE" => File.join(@folder, gemfile)))
    @environment["READ_BY_BOOT"] = "one"
    output, status = Open3.capture2e(plain_environment, "bundle", "lock", "--local", chdir: @folder)
    missing "the bundle cannot be resolved: #{output.lines.last(3).join}" unless status.success?
    write("app/views/shared/_standby.html.erb", "<b>one</b>")
    write("config/initializers/standby.rb", "Rails.configuration.x.standby = ['one', ENV['READ_BY_BOOT']]\n")
    write(".env", "FROM_DOTENV=one\n")
    write("config/initializers/number.rb", "Rails.configuration.x.number = Rails.application.credentials.number\n")
    encrypt(1)
    write("../local_gem/lib/local_gem_later.rb", "SHADOWED = 1\n")
    change("config/application.rb") do |text|
      "#{text}\n$LOAD_PATH.unshift File.expand_path('../first', __dir__)\nrequire 'local_gem_later'\nrequire 'dotenv'\nDotenv.load(File.expand_path('../.env', __dir__))\n"
    end
  end

  def plain_environment = @environment.merge("BOOT_WITH" => "plain", "WARMSTART" => "0")

  def write(name, text)
    path = File.join(@folder, name)
    FileUtils.mkdir_p(File.dirname(path))
    File.write(path, text)
  end

  def change(name) = yield(File.read(File.join(@folder, name))).tap { |text| write(name, text) }

  ENCRYPT = <<~RUBY
    require "active_support"
    require "active_support/encrypted_configuration"
    where = { config_path: "config/credentials.yml.enc", key_path: "config/master.key", env_key: "RAILS_MASTER_KEY" }
    ActiveSupport::EncryptedConfiguration.new(**where, raise_if_missing_key: true).write("number: \#{ARGV[0]}\\n")
  RUBY

  # Writes the application's credentials, as `bin/rails credentials:edit` does: with the key of before, or another one.
  def encrypt(number, key: number)
    write("config/master.key", key.to_s * 32)
    said, status =
      Open3.capture2e(plain_environment, RbConfig.ruby, "-r./config/boot", "-e", ENCRYPT, number.to_s, chdir: @folder)
    assert status.success?, said
  end

  CHANGES = {
    "a model" => -> { change("app/models/branch.rb") { |text| text.sub("geocoded_by", "MARK = 1\n  geocoded_by") } },
    "a view" => -> { write("app/views/shared/_standby.html.erb", "<b>two</b>") },
    "an initializer" => -> do
      write("config/initializers/standby.rb", "Rails.configuration.x.standby = ['two', ENV['READ_BY_BOOT']]\n")
    end,
    "a new initializer" => -> do
      write("config/initializers/standby_more.rb", "Rails.configuration.x.standby << 'more'\n")
    end,
    "a locale" => -> { change("config/locales/en.yml") { |text| text.sub("City Library", "Town Library") } },
    ".env" => -> { write(".env", "FROM_DOTENV=two\n") },
    "the credentials" => -> { encrypt(2, key: 1) },
    "the credentials and their key" => -> { encrypt(3) },
    "database.yml" => -> { change("config/database.yml") { |text| text.sub("timeout: 5000", "timeout: 5001") } },
    "a gem" => -> { write("../local_gem/lib/local_gem.rb", "module LocalGem; VERSION = 'two'; end\n") },
    "a new file that shadows a gem's" => -> { write("first/local_gem_later.rb", "SHADOWED = 2\n") },
    "the Gemfile" => -> do
      change(File.basename(@environment["BUNDLE_GEMFILE"])) do |text|
        text.sub("path: \"../local_gem\"", "path: \"../local_gem\", require: false")
      end
    end,
    "the lockfile" =>
      lambda do
        change("../local_gem/local_gem.gemspec") { |text| text.sub("1.0", "1.1") }
        change("#{File.basename(@environment["BUNDLE_GEMFILE"])}.lock") do |text|
          text.gsub("local_gem (1.0)", "local_gem (1.1)") # (also in CHECKSUMS)
        end
      end,
    "a variable that the boot reads" => -> { @environment["READ_BY_BOOT"] = "two" },
    "a variable that nobody reads" => -> { @environment["UNREAD"] = "1" }
  }.freeze

  ALL &&
    test("after each change of an application its commands are as in plain Ruby, at once and from the next standby") do
      copy
      command = ["bin/rails", "runner", REPORT]
      plain =
        lambda do
          Open3
            .capture3(plain_environment, *command, chdir: @folder, stdin_data: "")
            .tap { |_, error, status| assert status.success?, error }
            .first(2)
        end
      expected = plain.call
      until_from_standby(command, @folder) { |result| assert_equal expected, result.first(2) }
      CHANGES.each do |what, change|
        instance_exec(&change)
        sleep 0.03
        before, expected = expected, plain.call
        refute_equal before, expected, "#{what}: the report does not show it"
        # (A view is read by the command itself, so that the standby stays.)
        until_from_standby(command, @folder) { |result| assert_equal expected, result.first(2), what }
      end
    end
end
