# frozen_string_literal: true

require "fileutils"
require "open3"
require_relative "steps"

module Gate
  ROOT = File.expand_path("../..", __dir__)
  # Another Ruby than the machine's, where the folder beside the repository has one: with_ruby VERSION COMMAND ...
  WITH_RUBY = File.expand_path("../shared/rubies/with-ruby", ROOT)

  # The Debian packages that the steps need.
  PACKAGES = %w[
    build-essential
    ccache
    ruby-dev
    libyaml-dev
    libsqlite3-dev
    libssl-dev
    libffi-dev
    zlib1g-dev
    pkg-config
    tzdata
    strace
    valgrind
    util-linux
    procps
    chromium
    clang-format-14
    debootstrap
    acl
    gcc-mingw-w64-x86-64-posix
    nginx-light
  ].freeze

  # A registry may be out of reach for a while.
  TRIES, PAUSE = 4, 20

  # Changes below these can make a program behave differently. The gate only samples that; bin/deep looks for it.
  DEEP = %w[
    ext/warmstart/ruby/require
    ext/warmstart/ruby/recorder
    ext/warmstart/ruby/code
    ext/warmstart/core/image
    lib/warmstart/bundle
  ].freeze

  # What is counted in what each command prints.
  PASSED = /^(\d+) passed, \d+ failed/
  PLAYED = /^(\d+) (?:libraries|programs|changes) from seed/
  TRIED = /^\w+: (\d+) tries/
  FUZZED = /(\d+) inputs, seed \d+: nothing found/
  INSPECTED = /^(\d+) files inspected/

  # Prefixed to a command, to run it on that Ruby.
  def self.on(version) = version == RUBY_VERSION[/\A\d+\.\d+/] ? [] : [WITH_RUBY, version]

  def self.ruby?(version) = on(version).empty? || (File.executable?(WITH_RUBY) && system(WITH_RUBY, "--has", version))

  # Whether Ruby for Windows is installed already. (That takes ten minutes, so the gate does not do it.)
  def self.windows_ruby? =
    ruby?("windows") && File.exist?(File.join(ENV.fetch("RUBIES_DIR", "/var/tmp/rubies"), "3.3/.windows-installed"))

  # What names the state of the files: the tree of the last commit; nil where something is not committed.
  def self.tree
    Dir.chdir(ROOT) do
      changed, status = Open3.capture2("git", "status", "--porcelain", err: File::NULL)
      return unless status.success? && changed.empty?

      `git rev-parse HEAD^{tree}`.chomp
    end
  end

  # Gives the block an environment in which small files are made in memory, where there is a file system in memory on
  # which programs can run: most of what the tests do is to make small files.
  def self.with_environment
    base = { "CI" => "true", "LANG" => "C.UTF-8", "DEBIAN_FRONTEND" => "noninteractive" }
    # (a short name: some tests compare lines that are cut, and names of sockets have a limit)
    folder = "/dev/shm/w.#{Process.pid}" if File.directory?("/dev/shm") && File.writable?("/dev/shm")
    base["TMPDIR"] = folder if folder && roomy?(folder)
    base.update(CCACHE) if File.directory?("/usr/lib/ccache")
    yield base
  ensure
    FileUtils.rm_rf(folder) if folder
  end

  # What has been compiled before is not compiled again (ccache compares what the preprocessor gives).
  CCACHE = { "PATH" => "/usr/lib/ccache:#{ENV["PATH"]}", "CCACHE_DIR" => File.join(ROOT, "tmp/ccache") }.freeze
  WINDOWS_COMPILER = "x86_64-w64-mingw32-gcc-posix"

  ROOM = 4 << 20 # kilobytes

  def self.roomy?(folder)
    FileUtils.rm_rf(folder)
    Dir.mkdir(folder)
    File.chmod(0o1777, folder)
    program = File.join(folder, "runs")
    File.write(program, "#!/bin/sh\n")
    File.chmod(0o755, program)
    Open3.capture2("df", "--output=avail", "-k", folder).first.lines.last.to_i > ROOM && system(program) ? true : false
  end

  # .ci/run: what has to pass before a change lands.
  class Command
    # 3.4: what depends on Ruby's insides. (The rest is the same on each Ruby, and bin/deep runs all on all.)
    DEPENDENT = %w[
      test/differential
      test/exactness
      test/boxes_test.rb
      test/bundler_test.rb
      test/compaction_test.rb
      test/compiled_library_test.rb
      test/direct_way_test.rb
      test/documents_test.rb
      test/features_copies_test.rb
      test/frozen_literals_test.rb
      test/gc_governor_test.rb
      test/instrumentation_test.rb
      test/iseq_symbols_test.rb
      test/lacking_parts_test.rb
      test/load_path_changes_test.rb
      test/main_script_test.rb
      test/recording_test.rb
      test/ruby_compatibility_test.rb
      test/start_test.rb
      test/traced_test.rb
      test/tweaks_test.rb
    ].freeze

    # Each step's least count. A new test does not change them; many tests that are gone do.
    TESTS, TESTS_DEPENDENT, LIBRARIES, PROGRAMS, INPUTS, FILES = 2_100, 850, 64, 40, 5_000, 380
    # The first generated program. (Some before it are unsteady in plain Ruby, which is only known after a minute.)
    FIRST_PROGRAM = 400
    # Of the core's tests, those that are for Windows, too.
    WINDOWS_PROGRAMS = 30

    def run
      Gate.with_environment do |environment|
        @environment = environment
        @steps = Steps.new(File.join(ROOT, "tmp/gate"))
        play
        say_deep
        green = @steps.close
        remember if green
        green
      end
    end

    private

    def play
      # Everything else needs what these install.
      return unless step("packages", "ruby", __FILE__, "packages", seconds: 900)

      other = Gate.ruby?("3.4")
      install_ruby if other && Gate.on("3.4").any?
      @steps.begin_beside(SET_UP, "ruby", "examples/setup", "rails_app", environment: @environment)
      step("lint", "bin/lint", counted: INSPECTED, at_least: FILES)
      @steps.finish(SET_UP)
      windows
      on_ruby("3.1", [], TESTS, "WARMSTART_TEST_ALL" => "1")
      step(
        "attack",
        "bin/attack",
        *%w[images kills faults owners names compaction --count 20],
        counted: TRIED,
        at_least: 120
      )
      # (One case of each kind.)
      step("attack by stores", "bin/attack", "stores", "--count", "24", counted: TRIED, at_least: 24)
      # (One case is a history of 100 edits.)
      step("attack by edits", "bin/attack", "edits", "--count", "3", counted: TRIED, at_least: 3)
      step(
        "fuzz",
        "make",
        "-s",
        "-C",
        "fuzz",
        "check",
        "COUNT=#{INPUTS}",
        counted: FUZZED,
        at_least: INPUTS * Dir["#{ROOT}/fuzz/*_fuzz.c"].size
      )
      return @steps.not_here("Ruby 3.4", "there is no ../shared/rubies/with-ruby") unless other
      return unless Gate.on("3.4").empty? || @steps.finish(INSTALLED)

      on_ruby("3.4", DEPENDENT, TESTS_DEPENDENT)
    end

    INSTALLED, SET_UP = "Ruby 3.4 is installed", "Rails example is set up"
    private_constant :INSTALLED, :SET_UP

    def install_ruby
      tries = "for try in $(seq #{TRIES}); do \"$0\" 3.4 ruby -v && exit; sleep #{PAUSE}; done; exit 1"
      @steps.begin_beside(INSTALLED, "sh", "-c", tries, WITH_RUBY, environment: @environment)
    end

    # It is compiled only: what runs under Wine takes more than an hour, and is in bin/deep.
    def windows
      step(
        "Windows: core",
        "test/core/run",
        "--compile",
        environment: {
          "TARGET" => "windows",
          "CC" => "ccache #{WINDOWS_COMPILER}"
        },
        counted: PASSED,
        at_least: WINDOWS_PROGRAMS
      )
      extension = "Windows: extension"
      unless Gate.windows_ruby?
        return @steps.not_here(extension, "Ruby for Windows is not installed; `bin/deep windows` installs it")
      end

      step(extension, *Gate.on("windows"), "ruby", "bin/setup", "--target", "/opt/winruby", "--enable-werror")
    end

    # The machine's own Ruby plays the part of 3.1.
    def on_ruby(version, tests, at_least, environment = {})
      prefix = version == "3.1" ? [] : Gate.on(version)
      step("#{version}: build", *prefix, "ruby", "bin/setup", "--enable-werror") or return
      step(
        "#{version}: bin/test",
        *prefix,
        "bin/test",
        *tests,
        environment: environment,
        counted: PASSED,
        at_least: at_least
      )
      step(
        "#{version}: generated libraries",
        *prefix,
        "bin/exactness",
        "--seed",
        "1",
        "--count",
        LIBRARIES.to_s,
        counted: PLAYED,
        at_least: LIBRARIES
      )
      step(
        "#{version}: generated programs",
        *prefix,
        "bin/exactness",
        "--programs",
        "--seed",
        FIRST_PROGRAM.to_s,
        "--count",
        PROGRAMS.to_s,
        counted: PLAYED,
        at_least: PROGRAMS
      )
    end

    def step(name, *command, environment: {}, **options)
      @steps.run(name, *command, environment: { **@environment, **environment }, **options)
    end

    # What has changed since the gate has last passed here, or else since the branch that this one follows.
    def say_deep
      base =
        [passed.last, "@{upstream}"].compact.find do |name|
          system("git", "rev-parse", "-q", "--verify", name, chdir: ROOT, out: File::NULL, err: File::NULL)
        end or return
      changed = Open3.capture2("git", "diff", "--name-only", base, chdir: ROOT).first.lines(chomp: true)
      touched = DEEP.select { |folder| changed.any? { |path| path.start_with?("#{folder}/") } }
      puts "", "changed, so run bin/deep before the issue is called resolved: #{touched.join(", ")}" if touched.any?
    end

    # Adds the tree that has passed to the list.
    def remember
      tree = Gate.tree
      File.write(list, "#{tree}\n", mode: "a") if tree
    end

    def passed = File.exist?(list) ? File.readlines(list, chomp: true) : []

    # .git/gate: the hashes of the trees that have passed here, the last one at the end.
    def list = File.expand_path(File.join(`git -C #{ROOT} rev-parse --git-common-dir`.chomp, "gate"), ROOT)
  end

  # Installs the packages that are missing.
  def self.install(packages)
    missing = packages.reject { |name| system("dpkg", "-s", name, out: File::NULL, err: File::NULL) }
    return if missing.empty?

    puts "installing #{missing.join(", ")}"
    TRIES.times do |try|
      sleep PAUSE if try.positive?
      if system("apt-get", "update", "-q", out: File::NULL) &&
           system("apt-get", "install", "-y", "-q", "--no-install-recommends", *missing, out: File::NULL)
        return
      end
    end
    abort "these packages of Debian cannot be installed here, after #{TRIES} tries: #{missing.join(", ")} (see apt-get's lines above)"
  end
end

if $PROGRAM_NAME == __FILE__
  Dir.chdir(Gate::ROOT)
  ARGV == ["packages"] ? Gate.install(Gate::PACKAGES) : exit(Gate::Command.new.run)
end
