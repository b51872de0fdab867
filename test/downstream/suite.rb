# frozen_string_literal: true

require "fileutils"
require "json"
require "open3"
require "rbconfig"
require_relative "lock"

module Downstream
  # The result of a suite: {a test's name => "pass", "fail" or "skip", and whatever else has to be the same}, how it
  # ended, what it printed, and how many files came from the image.
  Run =
    Struct.new(:outcomes, :status, :output, :seconds, :hits) do
      def failures = outcomes.select { |_, outcome| outcome.start_with?("fail") }.keys
    end

  # The test suite of another program: where its source comes from, what it needs, and how it runs.
  class Suite
    ROOT = File.expand_path("../..", __dir__)
    WORK = File.join(ROOT, "tmp/downstream")
    WARMSTART = File.join(ROOT, "exe/warmstart")
    EXEC = [RbConfig.ruby, WARMSTART, "exec", "--"].freeze
    SEALED = { extra: { "DOWNSTREAM_SEALED" => "1" } }.freeze
    FROZEN = { "BUNDLE_FROZEN" => "true", "BUNDLE_RETRY" => "5" }.freeze
    LIMIT = 1800 # seconds for one run of a suite
    # The suite runs as a separate application, with a Gemfile and a config/boot.rb that asks for Warmstart, because a
    # sealed image needs these.
    MAIN = {
      "config/boot.rb" => "require #{File.join(ROOT, "lib/warmstart/setup").dump} if ENV[\"DOWNSTREAM_SEALED\"]\n",
      "main.rb" => <<~RUBY
        require_relative "config/boot"
        main = Process.pid
        at_exit do
          next if main != Process.pid
          File.write(ENV.fetch("DOWNSTREAM_HITS"), Warmstart::Native.counts.fetch(:hit)) if defined?(Warmstart::Native)
          exit(true) if ENV["DOWNSTREAM_BUILDS"]
        end
        load ARGV.shift
      RUBY
    }.freeze

    # Variables that name the certificates that this machine trusts.
    CERTIFICATES = %w[SSL_CERT_FILE SSL_CERT_DIR BUNDLE_SSL_CA_CERT].freeze

    attr_reader :name

    # @param name [String]
    # @param source [Source] the source that contains the suite
    # @param folder [String] the suite's folder, below the source's
    # @param runner [Symbol] :minitest, :rspec, :test_unit, or :ruby for the runner in the source of Ruby
    # @param files [Array<String>] patterns of the files to run, from the folder
    # @param except [Array<String>] patterns of files that are not run; a comment in the table says why
    # @param first [Array<String>] files beside this one that are loaded before those of the suite
    # @param load [Array<String>] folders for the load path, relative to the suite's
    # @param gems [Array<String>] lines of a Gemfile, without `gem`; their versions are those of the lockfile (lock.rb)
    # @param locked_as [String] the suite whose lockfile is used: one with the same gems
    # @param flags [Array<String>] options for Ruby
    # @param rubies [String] a requirement that RUBY_VERSION must meet
    # @param bundler [Boolean] false: the gems are in GEM_HOME, and the suite runs without Bundler
    # @param set_up [Array<String>] arguments for Ruby, of a program that is run before, in the folder
    # @param options [Array<String>] more options for RSpec
    # @param env [Hash{String => String}] variables; "SOURCE" is the source's folder
    def initialize(
      name,
      source:,
      files:,
      runner: :minitest,
      folder: ".",
      except: [],
      first: [],
      load: %w[lib test],
      gems: [],
      locked_as: name,
      flags: [],
      rubies: ">= 3.1",
      bundler: true,
      set_up: [],
      options: [],
      env: {}
    )
      @name = name
      @source = source
      @files = files
      @runner = runner
      @folder = folder
      @except = except
      @first = first.map { |file| File.join(__dir__, file) }
      @load = load
      @gems = gems
      @locked_as = locked_as
      @flags = flags
      @rubies = Gem::Requirement.new(rubies)
      @bundler = bundler
      @set_up = set_up
      @options = options
      @env = env
    end

    def for_this_ruby? = @rubies.satisfied_by?(Gem::Version.new(RUBY_VERSION))

    # Fetches the source and installs the gems.
    # @raise [Unavailable] they cannot be had, or not in the versions that are pinned
    def prepare
      set_out
      install_gems if @gems.any?
      must(environment, "its set-up", RbConfig.ruby, *load_options, *@set_up, chdir: folder) if @set_up.any?
    end

    # Resolves the versions of the gems and stores them, without installing any.
    # @raise [Unavailable] they cannot be resolved
    def lock
      return if @gems.empty? || @locked_as != name

      set_out
      FileUtils.rm_f("#{gemfile}.lock")
      # ("ruby": a gem that is not compiled for this machine's platform is compiled here. Without checksums, because Bundler
      # stores its own among them, which another version of it would not find.)
      must(
        environment.merge(bundle, "BUNDLE_LOCKFILE_CHECKSUMS" => "false"),
        "its lockfile",
        "bundle",
        "lock",
        "--add-platform",
        "ruby",
        chdir: home
      )
      versions.keep(gemfile)
    end

    # Runs the suite in every kind of start. There are two plain runs, which show the tests that are unsteady by
    # themselves.
    # @yield [String, Run]
    def each_run
      plain = run
      if plain.outcomes.empty?
        raise Unavailable,
              "#{name}: no test runs in plain Ruby: #{plain.status}\n#{(plain.output + (File.exist?(results) ? File.read(results) : "")).lines.reject { |line| line.strip.empty? }.first(12).join[0, 2000]}"
      end

      yield "plain", plain
      yield "plain again", run
      FileUtils.rm_rf(cache)
      yield "recording", run(before: EXEC)
      yield "warm", run(before: EXEC)
      seal
      yield "sealed", run(**SEALED)
    end

    private

    def set_out
      @root = @source.fetch(WORK)
      FileUtils.mkdir_p(File.join(home, "config"))
      MAIN.each { |name, text| File.write(File.join(home, name), text) }
      File.write(
        gemfile,
        "source \"https://rubygems.org\"\n#{@gems.map { |line| "gem #{line.gsub("SOURCE", @root)}\n" }.join}"
      )
    end

    def install_gems
      versions.put(gemfile)
      must(environment.merge(bundle, FROZEN), "its gems", "bundle", "install", "--quiet", chdir: home)
    end

    def versions = Lock.new(@locked_as, "SOURCE" => @root)

    def must(environment, what, *command, chdir:)
      output, status = Open3.capture2e(environment, *command, chdir: chdir)
      raise Unavailable, "#{name}: #{what}: #{output.lines.last(3).join.strip}" unless status.success?
    end

    def home = File.join(WORK, "home", place)
    def cache = File.join(WORK, "cache", place)
    def place = "#{name}-#{RbConfig::CONFIG["ruby_version"]}"
    def gemfile = File.join(home, "Gemfile")
    def results = File.join(home, "results.json")
    def hits = File.join(home, "hits")

    def bundle =
      {
        "BUNDLE_GEMFILE" => gemfile,
        "BUNDLE_PATH" => File.join(WORK, "gems"),
        "BUNDLE_APP_CONFIG" => File.join(home, ".bundle")
      }

    def environment
      gems = @bundler ? bundle : { "GEM_HOME" => File.join(WORK, "gems/ruby", RbConfig::CONFIG["ruby_version"]) }
      gems = {} if @gems.empty?
      {
        "HOME" => home,
        "LANG" => "C.UTF-8",
        "PATH" => ENV["PATH"],
        "WARMSTART_CACHE_DIR" => cache,
        "DOWNSTREAM_RESULTS" => results,
        "DOWNSTREAM_HITS" => hits,
        "TMPDIR" => home,
        **ENV.to_h.slice(*CERTIFICATES),
        **gems,
        **@env.transform_values { |value| value.gsub("SOURCE", @root) }
      }
    end

    # (An image is built only from a command that succeeds; so here it succeeds even if tests fail.)
    def seal
      FileUtils.rm_rf(cache)
      _, message, status =
        Open3.capture3(
          { **environment, **SEALED[:extra], "DOWNSTREAM_BUILDS" => "1" },
          RbConfig.ruby,
          WARMSTART,
          "build",
          "--seal",
          "--quiet",
          "--",
          *command,
          chdir: folder,
          unsetenv_others: true
        )
      raise Unavailable, "#{name}: build --seal: #{message.lines.last.to_s[0, 300]}" unless status.success?
    end

    def folder = File.join(@root, @folder)

    def tests = (Dir.glob(@files, base: folder) - Dir.glob(@except, base: folder)).sort

    def command
      bundler = @gems.any? && @bundler ? ["-rbundler/setup"] : []
      [RbConfig.ruby, *@flags, *bundler, *load_options, File.join(home, "main.rb"), *runner, *@first, *tests]
    end

    def load_options = @load.map { |path| "-I#{File.expand_path(path, folder)}" }

    def runner
      case @runner
      when :minitest
        [File.join(__dir__, "run_minitest.rb")]
      when :test_unit
        [File.join(__dir__, "run_test_unit.rb")]
      when :rspec
        [
          File.join(__dir__, "run_rspec.rb"),
          "--order",
          "defined",
          "--no-color",
          "--format",
          "json",
          "--out",
          results,
          *@options
        ]
      when :ruby
        [File.join(@root, "tool/test/runner.rb"), "--ruby=#{RbConfig.ruby}", "-v", "--no-retry", "--test-order=alpha"]
      end
    end

    def run(before: [], extra: {})
      FileUtils.rm_f([results, hits])
      start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      output, status = capture([*before, *command], extra)
      Run.new(
        outcomes(output),
        status,
        output,
        (Process.clock_gettime(Process::CLOCK_MONOTONIC) - start).round(1),
        File.exist?(hits) ? File.read(hits).to_i : 0
      )
    end

    def capture(command, extra)
      reader, writer = IO.pipe
      pid =
        Process.spawn(
          { **environment, **extra },
          *command,
          chdir: folder,
          in: File::NULL,
          out: writer,
          err: writer,
          unsetenv_others: true,
          pgroup: true
        )
      writer.close
      output = Thread.new { reader.read.force_encoding(Encoding::UTF_8).scrub }
      waiter = Process.detach(pid)
      ended = waiter.join(LIMIT)
      begin
        Process.kill(:KILL, -pid) # (also the processes that the suite's tests have left behind)
      rescue Errno::ESRCH
        nil
      end
      [output.value, ended ? waiter.value.to_s.sub(/\Apid \d+ /, "") : "no end in #{LIMIT} s"]
    end

    def outcomes(output)
      case @runner
      when :ruby
        # "[ 1/20] TestA#test_b = 0.01 s" for each test, "  1) Failure:\nTestA#test_b [...]" at the end.
        ran = output.scan(%r{^\[ *\d+/\d+\] (\S+#.+?) = \d+\.\d+ s}).to_h { |name,| [name, "pass"] }
        ran.merge(
          output
            .scan(/^ *\d+\) (Failure|Error|Skipped):\n(\S+#\w+[?!]?)/)
            .to_h { |kind, name| [name, kind == "Skipped" ? "skip" : "fail"] }
        )
      when :rspec
        return {} unless File.exist?(results)

        JSON.parse(File.read(results)[/\{.*\}/m])["examples"].to_h do |example|
          [
            "#{example["file_path"]}: #{example["full_description"]}".gsub(/0x\h+/, "0x..."),
            { "passed" => "pass", "failed" => "fail" }.fetch(example["status"], "skip")
          ]
        end
      else
        if File.exist?(results)
          JSON.parse(File.read(results)).to_h { |name, mark| [name.gsub(/0x\h+/, "0x..."), outcome(mark)] }
        else
          {}
        end
      end
    end

    def outcome(mark) = { "." => "pass", "S" => "skip" }.fetch(mark, "fail")
  end

  # Raised if the suite cannot run here; the message says why.
  class Unavailable < StandardError
  end
end
