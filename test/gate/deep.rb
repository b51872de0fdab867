# frozen_string_literal: true

require "digest"
require "json"
require "optparse"
require_relative "gate"
require_relative "totals"

module Gate
  # Of what users get, and of the applications that bin/deep plays. A step that was green says something about these.
  # Tests, tools and pages may change without that.
  PRODUCT = %w[lib ext exe examples Gemfile Gemfile.lock warmstart.gemspec].freeze

  # @return [Array<String>] the product's files, committed or not; none where git does not know them
  def self.product_files =
    Open3
      .capture2("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *PRODUCT, chdir: ROOT)
      .first
      .split("\0")
      .uniq
      .sort
      .map { |name| File.join(ROOT, name) }
      .select { |path| File.file?(path) && File.basename(path) != "README.md" }

  # @return [String, nil] what names the contents of the product's files
  def self.product
    paths = product_files
    return if paths.empty?

    paths
      .each_with_object(Digest::SHA256.new) { |path, digest| digest << path << "\0" << File.binread(path) << "\0" }
      .hexdigest
  end

  # bin/deep: everything that the gate only samples.
  #
  # A section is a method play_NAME, which runs steps. Most run on each Ruby. What is generated comes from a seed that is
  # new in each run, another one on each Ruby; the names of the steps tell it.
  class Deep
    RUBIES = %w[3.1 3.3 3.4 4.0 head].freeze

    SECTIONS = {
      "tests" => "bin/test: all tests, those with Chromium too",
      "demo" => "bin/demo: a Rails application with plain Ruby, bootsnap and Warmstart",
      "recipes" => "the recipes of docs/deploying.md, with a Rails application",
      "small" => "memory of small programs",
      "exactness" => "generated libraries, also with --collector stress and compact; generated programs",
      "bundles" => "generated bundles",
      "steps" => "failing steps of setup and ends",
      "standby" => "commands from a standby, and changes between them",
      "features" => "names of features, of gems' files",
      "attack" => "bin/attack, whole slices",
      "stores" => "200 machines pull from one nginx while one pushes; a bucket of S3's kind",
      "specification" => "Ruby's own specification (../shared/conformance/compare)",
      "downstream" => "other people's suites",
      "fuzz" => "randomly damaged input, then libFuzzer, whose corpus stays in tmp/fuzz/corpus",
      "windows" => "bin/test --windows, under Wine"
    }.freeze
    # These do not ask which Ruby runs them.
    WITHOUT_RUBY = %w[fuzz windows].freeze

    # Each step's least count on a Ruby that lacks some gems. A new test does not change them; many tests that are gone do.
    TESTS, WINDOWS_TESTS, SMALL_PROGRAMS, EXAMPLES, RECIPES, STANDBY_APPLICATIONS = 1_600, 1_200, 12, 9_000, 8, 4
    # Worlds for the load-path index (core/feature_index_oracle_test.c), of which the gate tries a few.
    WORLDS = 2_000
    # How much is generated. (Among fewer bundles there may be none that is replayed, which is a failure.)
    LIBRARIES, STRESSED, COMPACTED, PROGRAMS, BUNDLES, FEWEST_BUNDLES, CHANGES = 1_000, 32, 256, 250, 64, 8, 3_000
    # Of 100 libraries, so many are played at least: one that never ends in plain Ruby is left out, and one that waits for
    # ever is not played while the collector works all the time.
    MOST, MANY = 90, 50
    # The failing steps are tried in pieces: so many steps in one; so many pieces; with each kind of failure, so many exist.
    SHARE, PIECES, ALL_PIECES, STEPS = 12, 3, 48, 300
    # The sections of the attack, and how many cases are a whole slice of each.
    ATTACKS = {
      "images" => 200,
      "kills" => 150,
      "faults" => 240,
      "owners" => 60,
      "edits" => 12,
      "names" => 130,
      "compaction" => 40,
      "standby" => 70,
      "stores" => 72
    }.freeze
    # The suites of others: three quarters of the tests that they had.
    SUITES =
      Hash
        .new(1)
        .merge!(
          "rack" => 880,
          "sinatra" => 740,
          "i18n" => 1_200,
          "thor" => 680,
          "tzinfo" => 890,
          "kramdown" => 1_310,
          "addressable" => 1_020,
          "liquid" => 790,
          "slim" => 230,
          "builder" => 72,
          "minitest" => 320,
          "activesupport" => 2_900,
          "activemodel" => 790,
          "actionview" => 2_280,
          "actionpack" => 2_900,
          "railties" => 180,
          "rake" => 440,
          "rspec-core" => 1_680,
          "rspec-expectations" => 1_800,
          "rspec-support" => 430,
          "psych" => 370,
          "rubygems" => 1_970,
          "new-rails-application" => 50,
          "standby-day" => 50
        )
        .freeze
    # The names of features are tried in pieces, of which a run plays some. In one there are so many files at least, also
    # where the examples' gems are missing.
    FEATURE_PIECES, ALL_FEATURE_PIECES, FEATURES = 3, 12, 50
    # So many suites are for each Ruby, at least.
    ROWS = 20
    # Random inputs for each target, and the inputs that libFuzzer tries in a second at least.
    FUZZ_INPUTS, FUZZ_RATE = 20_000, 20

    # Packages without which a part of a section cannot run.
    FUZZERS = %w[clang libclang-rt-14-dev].freeze
    SERVERS = %w[redis-server passenger chromium-driver git].freeze

    # What is counted in what each command prints.
    BUNDLED = /(\d+) bundles from seed/
    FLEET, FLEET_SIZE, RUN = 200, /^(\d+) machines/, /^(\d+) runs, \d+ assertions, 0 failures, 0 errors, 0 skips/
    NAMED = /(\d+) files by each name/
    STEPPED = /\d+ steps, (\d+) tried/
    RAN = /^(\d+) runs, \d+ assertions, \d+ failures, \d+ errors, (\d+) skips/
    SPECIFIED = /(\d+) examples, \d+ fail with and without/
    LISTED = /^(\d+) suites/
    OUTCOMES = /"tests":(\d+)/
    EXECUTED = /^stat::number_of_executed_units:\s+(\d+)/
    # What says that something cannot be had.
    NO_RUBY = /^with-ruby: (.+)/
    NO_PACKAGES = /^these (packages of Debian cannot be installed here.*?): /
    NO_SPECIFICATION = /^ruby-spec: (.+)/
    NO_SUITE = /"unavailable":"((?:(?!\\n)[^"])+)/
    NO_MOVES = /^(this Ruby moves no objects)/

    # A wrong argument.
    class Mistake < StandardError
    end

    # @param folder [String] where the results are kept
    # @param page [String] the page with the totals
    # @param unsteady [String] the file in which bin/test lists the tests that were unsteady
    def initialize(
      arguments,
      folder: File.join(ROOT, "tmp/deep"),
      page: File.join(ROOT, "docs/exactness.md"),
      unsteady: File.join(ROOT, "tmp/unsteady.txt"),
      out: $stdout,
      err: $stderr
    )
      @arguments = arguments.dup
      @folder = folder
      @page = page
      @unsteady = unsteady
      @out = out
      @err = err
      @given = {}
    end

    # @return [Integer] the exit status. 0: nothing is red (the table tells what could not run here); 1: something is;
    #   2: the arguments are wrong; 130: it was stopped
    def run
      parse
      return list if @list
      return record if @record

      play
    rescue Mistake, OptionParser::ParseError, Totals::Missing => error
      @err.puts "bin/deep: #{error.message}; try --help"
      2
    end

    private

    def parse
      names = parser.permute(@arguments)
      if @record && (names.any? || @given.any? || @resume)
        raise Mistake, "--record runs nothing, so it takes no sections"
      end

      too_small =
        @given.slice("fuzz", "share").find { |_, value| value < 1 } ||
          @given.slice("seed").find { |_, value| value.negative? }
      raise Mistake, "--#{too_small.join(" ")} is too small" if too_small

      names.each { |name| check(*name.split(":", 2)) }
      @given["sections"] = names if names.any?
    end

    def parser
      OptionParser.new do |options|
        options.banner = "Usage: bin/deep [SECTION[:PART] ...] [options]"
        options.on("--rubies LIST", Array, "on these Rubies (#{RUBIES.join(",")})") do |value|
          @given["rubies"] = checked(value)
        end
        options.on("--seed N", Integer, "what is generated begins here (a new seed)") { |value| @given["seed"] = value }
        options.on("--fuzz SECONDS", Integer, "so long for each target of libFuzzer (120)") do |value|
          @given["fuzz"] = value
        end
        options.on("--share N", Integer, "an N-th of what is generated and attacked: to try bin/deep itself") do |value|
          @given["share"] = value
        end
        options.on(
          "--resume",
          "go on where the last run was stopped: what was green on this product is not run again"
        ) { @resume = true }
        options.on("--record", "run nothing; add the numbers of the last run to docs/exactness.md") { @record = true }
        options.on("--json", "print one JSON object; what goes on is printed on stderr") { @json = true }
        options.on("--list", "name the sections and their parts") { @list = true }
      end
    end

    def checked(versions)
      unknown = versions - RUBIES
      if unknown.any? || versions.empty?
        raise Mistake, "there is no Ruby #{unknown.first.inspect}: #{RUBIES.join(", ")}"
      end

      versions
    end

    def check(section, part = nil)
      unless self.class::SECTIONS.key?(section)
        raise Mistake, "there is no section #{section.inspect}: #{self.class::SECTIONS.keys.join(", ")}"
      end
      if part && !parts(section).include?(part)
        raise Mistake, "#{section} has no part #{part.inspect}: #{parts(section).join(", ")}"
      end
    end

    # What a section can be asked for one by one.
    def parts(section)
      case section
      when "attack"
        ATTACKS.keys
      when "fuzz"
        targets
      when "downstream"
        @suites ||= Open3.capture2(RbConfig.ruby, File.join(ROOT, "bin/downstream"), "--list").first.split
      else
        []
      end
    end

    def targets = Dir[File.join(ROOT, "fuzz/*_fuzz.c")].map { |path| File.basename(path, "_fuzz.c") }.sort

    def list
      self.class::SECTIONS.each do |name, text|
        @out.puts "#{name}: #{text}", *("  parts: #{parts(name).join(", ")}" if parts(name).any?)
      end
      0
    end

    # ---- a run: what was asked for and what it began with are kept, so that it can go on ----

    def play
      @progress = @json ? @err : @out
      begin_run
      Gate.with_environment do |environment|
        @environment = environment
        @steps = Steps.new(@folder, resume: @resume, tree: @state["tree"], out: @progress)
        interrupted = !ended?
        report(interrupted)
        interrupted ? 130 : (@steps.red.any? ? 1 : 0)
      end
    end

    def begin_run
      before = @resume ? state : nil
      raise Mistake, "there is no run to go on with" if @resume && before.nil?

      @state = {
        "seed" => Random.new_seed % 1_000_000,
        "sections" => [],
        "rubies" => RUBIES,
        "fuzz" => 120,
        "share" => 1,
        "unsteady" => size_of_unsteady,
        "recorded" => []
      }
      @state.update(before || {}, @given, "tree" => Gate.product)
      @progress.puts "seed #{@state["seed"]}"
      if before && before["tree"] != @state["tree"]
        @progress.puts "the product has changed since that run: all steps are run again"
      end
      FileUtils.rm_f(Dir[File.join(@folder, "*.{txt,json}")]) unless before
      save
    end

    def state_file = File.join(@folder, "run.json")

    def state
      JSON.parse(File.read(state_file))
    rescue Errno::ENOENT, JSON::ParserError
      nil
    end

    def save
      FileUtils.mkdir_p(@folder)
      File.write(state_file, JSON.pretty_generate(@state))
    end

    # @return [Boolean] false: it was stopped
    def ended?
      # (What is started in the background ignores these. The tests' programs must not.)
      %w[INT QUIT].each { |signal| trap(signal, "DEFAULT") }
      left = sections
      prepare(left)
      send("play_#{left.first}").then { left.shift } until left.empty?
      true
    rescue SignalException
      left.each { |name| @steps.not_here("the rest of #{name}", "stopped") }
      false
    end

    # In the order of the list, whatever the order of the arguments.
    def sections
      asked = @state["sections"].map { |name| name[/\A[^:]+/] }
      self.class::SECTIONS.keys.select { |name| asked.empty? || asked.include?(name) }
    end

    # Whether only parts of a section were asked for.
    def asked?(section) =
      !@state["sections"].include?(section) && @state["sections"].any? { |name| name.start_with?("#{section}:") }

    # Those parts of a section that were asked for; without a word, all.
    def asked(section, all) =
      asked?(section) ? all & @state["sections"].filter_map { |name| name[/\A#{section}:(.+)/, 1] } : all

    # Installs what is needed, and finds out which Rubies there are.
    def prepare(names)
      packages("packages", PACKAGES)
      @ready = (names - WITHOUT_RUBY).any? ? @state["rubies"].select { |version| ready?(version) } : []
    end

    def packages(name, list)
      step(
        name,
        nil,
        "ruby",
        "-r",
        File.join(__dir__, "gate.rb"),
        "-e",
        "Gate.install(ARGV)",
        *list,
        absent: NO_PACKAGES
      )
    end

    def ready?(version)
      return @steps.not_here("#{version}: Ruby", "with-ruby has none on this machine") unless Gate.ruby?(version)

      is_it =
        "RUBY_VERSION[/\\A\\d+\\.\\d+/] == ARGV[0] || ARGV[0] == 'head' ? puts(RUBY_DESCRIPTION) : abort(\"with-ruby: this is \#{RUBY_VERSION}\")"
      step("#{version}: Ruby", version, "ruby", "-e", is_it, version, absent: NO_RUBY) &&
        step("#{version}: build", version, "ruby", "bin/setup", "--enable-werror")
    end

    # What fails on Ruby's head is only told: it changes from day to day.
    def step(name, version, *command, environment: {}, **options)
      prefix = version ? Gate.on(version) : []
      @steps.run(
        name,
        *prefix,
        *command,
        environment: {
          **@environment,
          **environment
        },
        told: version == "head",
        **options
      )
    end

    # Another seed on each Ruby.
    def seed(version) = @state["seed"] + (RUBIES.index(version) * 1_000_000)

    # An N-th of a number.
    def part(number) = [number / @state["share"], 1].max

    # ---- the sections ----

    def play_tests
      @ready.each do |version|
        # (On 3.1 nothing is skipped for want of a program or a gem; the others lack some.)
        environment, least = version == "3.1" ? [{ "WARMSTART_TEST_ALL" => "1" }, Command::TESTS] : [{}, TESTS]
        worlds = { "WARMSTART_ORACLE_SEED" => seed(version).to_s, "WARMSTART_ORACLE_WORLDS" => WORLDS.to_s }
        step(
          "#{version}: bin/test",
          version,
          "bin/test",
          environment: {
            "WARMSTART_TEST_GEMS" => "1",
            "WARMSTART_TEST_LONG_LOAD_PATH" => "1",
            **worlds,
            **environment
          },
          counted: PASSED,
          at_least: least,
          seconds: 10_800
        )
      end
    end

    def play_demo
      @ready.each { |version| step("#{version}: bin/demo", version, "ruby", "bin/demo", "--runs", part(11).to_s) }
    end

    # (Without bin/test, which ends what takes longer than a test may.)
    def play_recipes
      @ready.each do |version|
        step("#{version}: the application of the recipes", version, "ruby", "examples/setup", "rails_app") or next
        step(
          "#{version}: recipes with a Rails application",
          version,
          "ruby",
          "test/recipes_test.rb",
          environment: {
            "WARMSTART_RECIPES" => "rails_app"
          },
          counted: RAN,
          at_least: RECIPES
        )
      end
    end

    def play_small
      @ready.each do |version|
        step(
          "#{version}: small programs",
          version,
          "bin/test",
          "test/small_programs_test.rb",
          counted: PASSED,
          at_least: SMALL_PROGRAMS
        )
      end
    end

    def play_exactness
      @ready.each do |version|
        libraries(version, "", LIBRARIES, MOST)
        libraries(version, "stress", STRESSED, MANY)
        libraries(version, "compact", COMPACTED, MANY)
        count = part(PROGRAMS)
        step(
          "#{version}: generated programs from seed #{seed(version)}",
          version,
          "bin/exactness",
          "--programs",
          "--seed",
          seed(version).to_s,
          "--count",
          count.to_s,
          counted: PLAYED,
          at_least: count,
          seconds: 7200
        )
        step(
          "#{version}: each core method replaced",
          version,
          "ruby",
          "test/exactness/replaced_core_methods_test.rb",
          environment: {
            "WARMSTART_CORE_METHODS" => "all"
          },
          counted: RAN,
          at_least: 1,
          seconds: 7200
        )
      end
    end

    def libraries(version, collector, number, percent)
      count = part(number)
      name, *option = collector.empty? ? [""] : [" with --collector #{collector}", "--collector", collector]
      step(
        "#{version}: generated libraries#{name} from seed #{seed(version)}",
        version,
        "bin/exactness",
        *option,
        "--seed",
        seed(version).to_s,
        "--count",
        count.to_s,
        counted: PLAYED,
        at_least: count * percent / 100,
        absent: NO_MOVES,
        seconds: 7200
      )
    end

    # (Without bin/test, which ends what takes longer than a test may.)
    def play_bundles
      @ready.each do |version|
        count = [part(BUNDLES), FEWEST_BUNDLES].max
        step(
          "#{version}: generated bundles from seed #{seed(version)}",
          version,
          "ruby",
          "test/exactness/generated_bundles_test.rb",
          environment: {
            "WARMSTART_BUNDLES" => "#{seed(version)},#{count}"
          },
          counted: BUNDLED,
          at_least: count
        )
      end
    end

    def play_standby
      @ready.each do |version|
        count = part(CHANGES)
        step(
          "#{version}: standby changes from seed #{seed(version)}",
          version,
          "bin/exactness",
          "--standby",
          "--seed",
          seed(version).to_s,
          "--count",
          count.to_s,
          counted: PLAYED,
          at_least: count,
          seconds: 7200
        )
        step(
          "#{version}: applications and their standbys",
          version,
          "ruby",
          "test/integration/rails_standby_test.rb",
          environment: {
            "WARMSTART_APPLICATIONS" => "all"
          },
          counted: RAN,
          at_least: STANDBY_APPLICATIONS,
          seconds: 3600
        )
      end
    end

    def play_steps
      pieces = ALL_PIECES * @state["share"]
      @ready
        .product([*0...part(PIECES)])
        .each do |version, number|
          piece = (seed(version) + number) % pieces
          step(
            "#{version}: failing steps, piece #{piece} of #{pieces}",
            version,
            "ruby",
            "test/failing_steps_test.rb",
            environment: {
              "WARMSTART_FAILING_STEPS" => (SHARE * @state["share"]).to_s,
              "WARMSTART_FAILING_STEPS_SEED" => piece.to_s
            },
            counted: STEPPED,
            at_least: part(STEPS)
          )
        end
    end

    def play_features
      pieces = ALL_FEATURE_PIECES * @state["share"]
      @ready
        .product([*0...part(FEATURE_PIECES)])
        .each do |version, number|
          piece = (seed(version) + number) % pieces
          step(
            "#{version}: names of features, piece #{piece} of #{pieces}",
            version,
            "ruby",
            "test/differential/gem_feature_names_test.rb",
            environment: {
              "WARMSTART_FEATURES" => "#{piece}/#{pieces}"
            },
            counted: NAMED,
            at_least: part(FEATURES),
            seconds: 7200
          )
        end
    end

    def play_attack
      asked("attack", ATTACKS.keys)
        .product(@ready)
        .each do |name, version|
          count = part(ATTACKS[name])
          step(
            "#{version}: attack #{name}, seed #{seed(version)}",
            version,
            "bin/attack",
            name,
            "--seed",
            seed(version).to_s,
            "--count",
            count.to_s,
            counted: TRIED,
            at_least: count * MOST / 100
          )
        end
    end

    # (What the machines do does not depend on the Ruby; nginx and npm are installed beside the machine's own.)
    def play_stores
      own = RUBY_VERSION[/\A\d+\.\d+/]
      return @steps.not_here("stores", "only the machine's own Ruby has nginx") unless @ready.include?(own)

      [own].each do |version|
        step(
          "#{version}: stores: a fleet",
          version,
          "ruby",
          "test/stores/fleet.rb",
          "--machines",
          part(FLEET).to_s,
          counted: FLEET_SIZE,
          at_least: part(FLEET),
          seconds: 1800
        )
        step("#{version}: stores: S3", version, "ruby", "test/stores/s3.rb", counted: RUN, at_least: 3, seconds: 900)
      end
    end

    def play_specification
      unless step(
               "specification",
               nil,
               File.expand_path("../shared/conformance/ruby-spec", ROOT),
               absent: NO_SPECIFICATION
             )
        return
      end

      sample = @state["share"] > 1 ? ["core/kernel/require_spec.rb"] : []
      @ready.each do |version|
        step(
          "#{version}: Ruby's specification",
          version,
          "ruby",
          "test/gate/specification.rb",
          *sample,
          counted: SPECIFIED,
          at_least: sample.any? ? 1 : EXAMPLES,
          seconds: 10_800
        )
      end
    end

    def play_downstream
      if asked("downstream", parts("downstream")).include?("new-rails-application")
        packages("packages for a new Rails application", SERVERS)
      end
      @ready.each do |version|
        there = suites(version)
        if asked?("downstream")
          (asked("downstream", parts("downstream")) - there).each do |suite|
            @steps.not_here("#{version}: downstream #{suite}", "it is not for this Ruby")
          end
        end
        asked("downstream", there).each do |suite|
          step(
            "#{version}: downstream #{suite}",
            version,
            "bin/downstream",
            suite,
            "--json",
            counted: OUTCOMES,
            at_least: SUITES[suite],
            absent: NO_SUITE,
            seconds: 10_800
          )
        end
      end
    end

    # The suites for this Ruby.
    def suites(version)
      name = "#{version}: suites of others"
      code =
        "names = Downstream::SUITES.select(&:for_this_ruby?).map(&:name); puts names, [names.size, 'suites'].join(' ')"
      if step(
           name,
           version,
           "ruby",
           "-r",
           File.join(ROOT, "test/downstream/suites.rb"),
           "-e",
           code,
           counted: LISTED,
           at_least: ROWS
         )
        @steps.output(name).lines(chomp: true)[..-2]
      else
        []
      end
    end

    def play_fuzz
      chosen = asked("fuzz", targets)
      step(
        "fuzz, seed #{@state["seed"]}",
        nil,
        "make",
        "-s",
        "-C",
        "fuzz",
        "check",
        "COUNT=#{part(FUZZ_INPUTS)}",
        "SEED=#{@state["seed"]}",
        "TARGETS=#{chosen.join(" ")}",
        counted: FUZZED,
        at_least: part(FUZZ_INPUTS) * chosen.size
      )
      packages("packages for libFuzzer", FUZZERS)
      return @steps.not_here("libFuzzer", "clang is missing, or cannot use it") unless fuzzer?

      chosen.each { |target| fuzz(target, @state["fuzz"]) }
    end

    def fuzz(target, seconds)
      step(
        "libFuzzer: #{target}, seed #{@state["seed"]}",
        nil,
        "make",
        "-s",
        "-C",
        "fuzz",
        "fuzz",
        "TARGET=#{target}",
        "ARGUMENTS=-max_total_time=#{seconds} -seed=#{@state["seed"]} -verbosity=0 -print_final_stats=1",
        counted: EXECUTED,
        at_least: FUZZ_RATE * seconds,
        seconds: seconds + 1800
      )
    end

    def fuzzer?
      program = "int LLVMFuzzerTestOneInput(void) { return 0; }"
      Open3
        .capture2e("clang", "-fsanitize=fuzzer,address", "-x", "c", "-", "-o", File::NULL, stdin_data: program)
        .last
        .success?
    rescue Errno::ENOENT
      false
    end

    # (It takes ten minutes to install, which only happens for who asks.)
    def play_windows
      there = Gate.windows_ruby? || @state["sections"].include?("windows")
      unless there && Gate.ruby?("windows")
        return(
          @steps.not_here(
            "Wine: bin/test --windows",
            "Ruby for Windows is not installed; `bin/deep windows` installs it"
          )
        )
      end

      step(
        "Wine: bin/test --windows",
        "windows",
        "bin/test",
        "--windows",
        counted: PASSED,
        at_least: WINDOWS_TESTS,
        absent: NO_RUBY,
        seconds: 21_600
      )
    end

    # ---- the report ----

    def report(interrupted)
      downstream = outcomes
      unsteady = unsteady_tests
      if downstream.any?
        @progress.puts "", "suites of others: tests / tests that differ with Warmstart", columns(downstream)
      end
      @progress.puts "", "== unsteady in this run: failed beside others, passed alone", unsteady unless unsteady.empty?
      @steps.close
      @progress.puts "", "stopped: bin/deep --resume goes on" if interrupted
      if @json
        @out.puts JSON.generate(
                    seed: @state["seed"],
                    rubies: @state["rubies"],
                    result: @steps.verdict,
                    interrupted: interrupted,
                    steps: @steps.results.map(&:to_h),
                    downstream: downstream,
                    unsteady: unsteady.lines(chomp: true)
                  )
      end
    end

    # {suite => {Ruby => [tests, how many differ]}}
    def outcomes
      @steps
        .results
        .each_with_object({}) do |step, all|
          version, suite = step.name.match(/\A(\S+): downstream (.+)/)&.captures
          report =
            suite && @steps.output(step.name).to_s.lines.reverse.find { |line| line.start_with?("{\"ruby\":") } or next
          found = JSON.parse(report).dig("suites", suite) or next
          (all[suite] ||= {})[version] = [found["tests"], found["different"].values.sum(&:size)] if found["tests"]
        end
    end

    def columns(outcomes)
      versions = RUBIES & outcomes.values.flat_map(&:keys)
      rows = [
        ["suite", *versions],
        *outcomes.map { |suite, cells| [suite, *versions.map { |version| cells[version]&.join(" / ") || "-" }] }
      ]
      widths = rows.transpose.map { |cells| cells.map(&:size).max }
      rows.map do |name, *cells|
        [name.ljust(widths[0]), *cells.zip(widths.drop(1)).map { |cell, width| cell.rjust(width) }].join("  ")
      end
    end

    def size_of_unsteady = File.exist?(@unsteady) ? File.size(@unsteady) : 0

    # What bin/test has added to its list since this run began.
    def unsteady_tests
      if File.exist?(@unsteady)
        File.binread(@unsteady).byteslice(@state["unsteady"]..).to_s.force_encoding("UTF-8").scrub
      else
        ""
      end
    end

    # ---- the totals ----

    def record
      @state = state or raise Mistake, "there is no run to record"
      steps = Steps.results(@folder).reject { |step| @state["recorded"].include?(step["name"]) }
      numbers = Totals.of(steps)
      Totals.new(@page).add(numbers)
      @state["recorded"] += steps.select { |step| Totals.of([step]).any? }.map { |step| step["name"] }
      save
      @out.puts(
        if numbers.empty?
          "nothing to add"
        else
          numbers.map { |ruby, kinds| "#{ruby}: #{kinds.map { |kind, number| "#{number} #{kind}" }.join(", ")}" }
        end
      )
      0
    end
  end
end
