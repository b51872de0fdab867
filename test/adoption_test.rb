# frozen_string_literal: true

require_relative "test_helper"

# A first boot takes over what another image knows: of the same application at another place, or of one with the same
# gems. The program is plain Ruby's all the same.
class AdoptionTest < TestCase
  FILES = {
    "Gemfile" => "",
    "bin/main.rb" => <<~RUBY,
      require_relative "../config/boot"
      $LOAD_PATH.unshift(File.expand_path("../lib", __dir__))
      require "own"
      require "part"
      load File.expand_path("../lib/loaded.rb", __dir__)
      puts OWN, LOADED, PART, YAML.load_file(File.expand_path("../config/some.yml", __dir__)), $LOADED_FEATURES.grep(/own|part/)
    RUBY
    "config/some.yml" => "a: [1, 2]\n",
    "lib/own.rb" => <<~'RUBY',
      require_relative "own/inner"
      require "yaml"
      module Own
        def self.fail = raise("here")
        KEYS = { __FILE__ => 1 }
      end
      OWN = [__FILE__, __dir__, Own::KEYS, INNER, Own.method(:fail).source_location, binding.source_location]
      begin
        Own.fail
      rescue => error
        OWN << error.full_message(highlight: false)
      end
      OWN << eval("[__FILE__, __LINE__]", binding, __FILE__, 7) << caller_locations(0, 1).first.absolute_path
    RUBY
    "lib/own/inner.rb" => "INNER = caller(0).first\nDEEP = __FILE__\n",
    "lib/loaded.rb" => "LOADED = __FILE__\n"
  }.freeze
  GEM = {
    "gems/part-1/lib/part.rb" => "PART = __FILE__\nrequire 'part/inner'\n",
    "gems/part-1/lib/part/inner.rb" => "module Part; end if false\n"
  }.freeze

  # (A home of gems may itself lie in folders called gems.)
  HOME = "home1/gems/3.1.0"

  def setup
    @program = program({ "main.rb" => "" })
    @cache = { "WARMSTART_CACHE_DIR" => @program.cache }
  end

  # Applications have one name, but for the blog.
  APPLICATIONS = %w[one two three elsewhere].freeze

  def place(name) = File.join(@program.base, APPLICATIONS.include?(name) ? "#{name}/shop" : name)

  def copy(name)
    FileUtils.mkdir_p(File.dirname(place(name)))
    FileUtils.cp_r(place("one"), place(name))
  end

  def write(folder, files)
    files.each do |name, content|
      path = File.join(place(folder), name)
      FileUtils.mkdir_p(File.dirname(path))
      content.is_a?(Symbol) ? File.symlink(content.to_s, path) : File.binwrite(path, content)
    end
    sleep Program::AGEING
  end

  def application(folder, files = {})
    write(folder, { **FILES, "config/boot.rb" => "require #{Program::SETUP.inspect} unless ENV['PLAIN']\n", **files })
  end

  def run_plain(folder, gems: place(HOME)) = run_in(folder, { "PLAIN" => "1" }, gems)

  # @return [Array(Run, Hash)] the run, and its counts
  def boot(folder, env = {}, gems: place(HOME))
    run = run_in(folder, { "WARMSTART_STATS" => "1", "WARMSTART_LOG" => "1", **env }, gems)
    counts =
      run
        .stderr
        .scan(/^warmstart: (hit|miss|stale|revalidated): (\d+)$/)
        .to_h { |name, count| [name.to_sym, Integer(count)] }
    counts[:adopted] = run.stderr[/taken over from \S+: (.+)/, 1]
      .to_s
      .scan(/(\w+) (\d+)/)
      .to_h { |name, count| [name.to_sym, Integer(count)] }
    [run, counts]
  end

  def run_in(folder, env, gems)
    @program.ruby(
      "-I",
      File.join(gems, "gems/part-1/lib"),
      File.join(place(folder), "bin/main.rb"),
      env: {
        **@cache,
        "GEM_HOME" => gems,
        "GEM_PATH" => gems,
        **env
      },
      chdir: place(folder)
    )
  end

  def assert_like_plain(folder, run, **options)
    plain = run_plain(folder, **options)
    assert_equal [plain.stdout, plain.status], [run.stdout, run.status]
    assert_equal "", run.stderr.lines.grep_v(/\Awarmstart: /).join
  end

  # The first boot of an application.
  def record(folder)
    application(folder)
    write(HOME, GEM)
    2.times { boot(folder) }
    assert_equal 0, boot(folder).last[:miss]
  end

  test "an application at another place has a warm first boot, and is that place's" do
    record("one")
    copy("elsewhere")
    sleep Program::AGEING
    run, counts = boot("elsewhere")
    assert_like_plain("elsewhere", run)
    refute_includes run.stdout, place("one")
    assert_equal [0, 0, 0], counts.values_at(:miss, :stale, :revalidated)
    assert_operator counts[:adopted][:relocated], :>=, 3
    run, again = boot("elsewhere")
    assert_like_plain("elsewhere", run)
    assert_equal [{}, counts[:hit]], again.values_at(:adopted, :hit)
    assert_like_plain("one", boot("one").first)
  end

  # Whatever a program can ask about where its code is. What is printed has no numbers of objects.
  QUESTIONS = {
    "bin/main.rb" => <<~'RUBY',
      require_relative "../config/boot"
      $LOAD_PATH.unshift(File.expand_path("../lib", __dir__))
      $VERBOSE = true
      def ask(what) = puts("#{what}: #{yield.inspect}".gsub(/0x\h+/, "0x"))
      require "questions"
      require "folded"
      require "from_gem"
      load File.expand_path("../lib/loaded.rb", __dir__)
      load File.expand_path("../lib/wrapped.rb", __dir__), true
      load "lib/relative.rb"
      Object.autoload(:Later, File.expand_path("../lib/later.rb", __dir__))
      ask("autoload") { Later::HERE }
      ask("DATA") { [DATA.path, DATA.lineno, DATA.read] }
      begin
        require "broken"
      rescue SyntaxError => error
        ask("SyntaxError") { [error.message, error.backtrace.grep(/shop/)] }
      end
      ask("features") { $LOADED_FEATURES.grep(/shop|part-1/) }
      at_exit { puts caller(0) }
      Thread.new { Questions.fail_deep }.tap { |thread| thread.report_on_exception = true }.join rescue ask("thread") { $!.backtrace }
      Questions.fail_deep
      __END__
      the main program's
    RUBY
    "lib/questions.rb" => <<~'RUBY',
      module Questions
        module_function

        def locations = caller_locations(0).map { |at| [at.path, at.absolute_path, at.lineno, at.label, at.to_s, at.inspect] }
        def callers = caller(0)
        def uplevel = warn("said", uplevel: 0)
        def fail_deep = [1].each { |one| inner(one) { nil.no_such_method } }
        def inner(*) = yield
        def deprecated = Struct.new(:path).new(__FILE__)
        def defaults(path = __FILE__, folder: __dir__) = [path, folder]
        BLOCK = proc { |path| path == __FILE__ }
        LAMBDA = -> { __method__.inspect + __FILE__ }
        Inner = Class.new { def place = [__FILE__, __dir__] }
      end
      ask("__FILE__") { [__FILE__, __FILE__.encoding, __FILE__.frozen?, __FILE__.equal?(__FILE__), __FILE__ == $0, __FILE__.hash == __FILE__.dup.hash] }
      ask("changed") { [__FILE__ + "x", __FILE__.dup << "y", (__FILE__ << "z"), __FILE__] }
      ask("__dir__") { [__dir__, __dir__.encoding, __dir__.frozen?, eval("__dir__", binding, __FILE__)] }
      ask("in strings") { [File.basename(__FILE__), "#{__dir__}/x", "#{String(__FILE__)}:#{__LINE__}", __FILE__.to_sym, File.join(__dir__, "x")] }
      ask("in Regexps") { [Regexp.new(Regexp.escape(__FILE__)).match?(__FILE__), __FILE__[%r{[^/]+\z}], __FILE__.sub(/\.rb\z/, "")] }
      ask("as keys") { [{ __FILE__ => 1 }, { __FILE__ => 1 }[__FILE__], (case __FILE__ when "other" then 0 when __FILE__ then 1 end)] }
      ask("arguments") { [Questions.defaults, Questions::BLOCK.call(__FILE__), Questions::LAMBDA.call, Questions::Inner.new.place] }
      ask("caller") { Questions.callers }
      ask("locations") { Questions.locations }
      ask("blocks") { [1].map { caller(0, 2) } + [1].each_with_object([]) { |_, list| list << caller_locations(0, 1).first.path } }
      ask("source_location") { [Questions.method(:inner), Questions::BLOCK, Questions::LAMBDA, binding].map(&:source_location) }
      ask("inspect") { [Questions.method(:inner), Questions::BLOCK, Questions::LAMBDA, Questions::Inner.instance_method(:place)] }
      ask("constants") { [Object.const_source_location(:Questions), Questions.const_source_location(:BLOCK), Questions.const_source_location(:Inner)] }
      ask("code") { [Questions.method(:inner), Questions::BLOCK].map { |code| RubyVM::InstructionSequence.of(code).then { |iseq| [iseq.path, iseq.absolute_path, iseq.label, iseq.first_lineno, iseq.inspect, iseq.disasm, iseq.trace_points] } } }
      ask("eval") { [eval("[__FILE__, __LINE__]"), eval("caller(0, 1)"), binding.eval("__dir__"), Questions.module_eval("__FILE__"), Questions.instance_eval { __FILE__ }] }
      ask("events") do
        seen = []
        TracePoint.new(:call, :line, :raise) { |event| seen << [event.event, event.path, event.lineno] if seen.size < 20 }.enable { Questions.fail_deep rescue nil }
        seen
      end
      ask("require_relative") { [require_relative("questions/neighbour"), require_relative("./questions/neighbour.rb"), Neighbour::HERE] }
      [-> { require_relative "questions/nowhere" }, -> { require "#{__dir__}/nowhere" }, -> { load "#{__dir__}/nowhere.rb" }].each do |code|
        code.call
      rescue LoadError => error
        ask("missing") { [error.message, error.path, error.backtrace] }
      end
      ask("errors") do
        [-> { Questions.fail_deep }, -> { raise "here" }, -> { Integer("x") }, -> { no_such_name }, -> { Questions.inner(1) { [].fetch(3) } }, -> { Questions.defaults(1, 2, 3) }, -> { throw :nowhere }, -> { "".freeze << "x" }].map do |code|
          code.call
        rescue StandardError, UncaughtThrowError => error
          [error.message, error.backtrace, error.backtrace_locations&.map(&:absolute_path), error.full_message(highlight: false), (error.detailed_message(highlight: false) if error.respond_to?(:detailed_message)), error.cause]
        end
      end
      ask("lazily") { Enumerator.new { |all| all << caller(0, 1) << __FILE__ }.to_a + [Fiber.new { caller(0) }.resume] }
      ask("its own text") { File.read(__FILE__).split(/^__END__$/).last }
      def Questions.again = 1
      def Questions.again = 2
      REPEATED = 1
      REPEATED = 2
      Questions.uplevel
      BEGIN { ask("BEGIN") { [__FILE__, caller(0, 1)] } }
      END { ask("END") { [__FILE__, caller(0, 1)] } }
      __END__
      a text behind the code
    RUBY
    "lib/questions/neighbour.rb" =>
      "# frozen_string_literal: true\n\nmodule Neighbour; HERE = [__FILE__, __FILE__.frozen?, __FILE__.equal?(__FILE__), __dir__, caller(0), caller_locations(0, 1).first.absolute_path]; end\n",
    # (Ruby may have put the path into a longer literal.)
    "lib/folded.rb" => <<~'RUBY',
      ask("folded") { ["#{__FILE__}:#{__LINE__}", %W[#{__FILE__} b], :"#{__FILE__}", /#{Regexp.escape(__FILE__)}/, /#{__FILE__}/] }
    RUBY
    "lib/loaded.rb" => "ask('load') { [__FILE__, __dir__, caller(0), self.to_s] }\n",
    "lib/wrapped.rb" => "WRAPPED = __FILE__\nask('load with a module') { [WRAPPED, __dir__, caller(0)] }\n",
    "lib/relative.rb" =>
      "ask('load by a relative path') { [__FILE__, __dir__, caller(0), require_relative('later')] }\n",
    "lib/later.rb" => "module Later; HERE = [__FILE__, __dir__, caller(0)]; end\n",
    "lib/broken.rb" => "A = 1\ndef broken(\n"
  }.freeze
  GEMS_QUESTIONS = {
    "gems/part-1/lib/from_gem.rb" =>
      "require_relative 'from_gem/inner'\nask('gem') { [__FILE__, __dir__, caller(0), FromGem::ROOT, (FromGem.fail rescue $!.full_message(highlight: false))] }\n",
    "gems/part-1/lib/from_gem/inner.rb" =>
      "module FromGem\n  ROOT = File.expand_path('../../..', __FILE__)\n  def self.fail = raise(ArgumentError, File.join(__dir__, 'x'))\nend\n"
  }.freeze

  { "direct" => {}, "native" => NATIVE }.each do |way, env|
    test "every question about its place is answered as in plain Ruby, when application and gems have moved, the #{way} way" do
      application("one", QUESTIONS)
      write(HOME, GEMS_QUESTIONS)
      2.times { boot("one", env) }
      copy("elsewhere")
      FileUtils.mkdir_p(place("home2/gems"))
      FileUtils.mv(place(HOME), place("home2/gems/other"))
      sleep Program::AGEING
      gems = place("home2/gems/other")
      plain = run_plain("elsewhere", gems: gems)
      assert_operator plain.stdout.lines.size, :>, 30, plain.stderr
      refute_includes plain.stdout + plain.stderr, place("one")
      3.times do |time|
        run, counts = boot("elsewhere", env, gems: gems)
        assert_equal [plain.stdout, plain.status, plain.stderr],
                     [run.stdout, run.status, run.stderr.lines.grep_v(/\Awarmstart: /).join],
                     "boot #{time}"
        missed = run.stderr.scan(%r{^warmstart: miss \S*lib/(\w+)}).flatten
        next assert_equal(%w[broken], missed, "boot #{time}") unless time.zero?

        assert_operator counts[:adopted][:relocated], :>=, 7
        assert_empty missed - %w[folded relative broken]
      end
    end
  end

  test "what has changed there is compiled" do
    record("one")
    copy("two")
    write(
      "two",
      "lib/own/inner.rb" => "INNER = caller(0).first\nDEEP = __dir__ \n",
      "lib/loaded.rb" => "LOADED = 2\n",
      "config/some.yml" => "a: [1, 3]\n"
    )
    run, counts = boot("two")
    assert_like_plain("two", run)
    assert_equal [3, 3], [counts[:miss], counts[:adopted][:changed]]
    assert_like_plain("two", boot("two").first)
  end

  test "a file that spells its old path, one that is gone, and one that is a link now are left out" do
    spelling = "INNER = 1\nDEEP = #{File.join(place("one"), "lib/own/inner.rb").inspect}\nprint DEEP, __FILE__\n"
    application("one", { "lib/own/inner.rb" => spelling, "lib/other.rb" => FILES["lib/loaded.rb"] })
    write(HOME, GEM)
    3.times { boot("one") }
    copy("two")
    File.unlink(File.join(place("two"), "lib/loaded.rb"))
    File.symlink("other.rb", File.join(place("two"), "lib/loaded.rb"))
    sleep Program::AGEING
    run, counts = boot("two")
    assert_like_plain("two", run)
    assert_equal [1, 1], counts[:adopted].values_at(:fixed, :changed)
    assert_equal 2, counts[:miss]
  end

  test "gems in another home are found" do
    record("one")
    FileUtils.mkdir_p(place("home2/gems"))
    FileUtils.mv(place(HOME), place("home2/gems/other"))
    copy("two")
    sleep Program::AGEING
    run, counts = boot("two", gems: place("home2/gems/other"))
    assert_like_plain("two", run, gems: place("home2/gems/other"))
    assert_equal [0, 0], counts.values_at(:miss, :stale)
  end

  test "gems in the folder that BUNDLE_PATH names are found; without RubyGems nothing is said of it" do
    record("one")
    home = File.join("bundle/ruby", RbConfig::CONFIG["ruby_version"])
    FileUtils.mkdir_p(place(File.dirname(home)))
    FileUtils.mv(place(HOME), place(home))
    %w[two three].each { |name| copy(name) }
    sleep Program::AGEING
    path = { "BUNDLE_PATH" => place("bundle") }
    run, counts =
      boot("two", { **path, "GEM_HOME" => place("nowhere"), "GEM_PATH" => place("nowhere") }, gems: place(home))
    assert_like_plain("two", run, gems: place(home))
    assert_equal 0, counts[:miss]
    run, = boot("three", { **path, "RUBYOPT" => "--disable-gems" }, gems: place(home))
    assert_empty run.stderr.lines.grep(/fail|Error/)
  end

  test "an application with the same gems takes these over, but for those that its lockfile has not" do
    application("one")
    # (Which Bundler runs, the lockfile only proposes.)
    write(
      HOME,
      { **GEM, "gems/other-2/lib/other.rb" => "OTHER = 1\n", "gems/bundler-9.9/lib/bundled.rb" => "BUNDLED = 1\n" }
    )
    write("one", "lib/own/inner.rb" => "INNER = 1\nrequire 'other'\nrequire 'bundled'\n")
    other = {
      "RUBYLIB" =>
        %w[other-2 bundler-9.9].map { |name| File.join(place(HOME), "gems/#{name}/lib") }.join(File::PATH_SEPARATOR)
    }
    2.times { boot("one", other) }
    # (The Gemfile may be another than that in the folder.)
    { "blog" => "Gemfile", "blog2" => "Gemfile-next" }.each do |name, gemfile|
      application(
        name,
        {
          "lib/own.rb" => "OWN = 1\nrequire 'yaml'\n",
          gemfile => "",
          "#{gemfile}.lock" => "GEM\n  specs:\n    part (1)\n"
        }
      )
      run, counts = boot(name, gemfile == "Gemfile" ? {} : { "BUNDLE_GEMFILE" => File.join(place(name), gemfile) })
      assert_like_plain(name, run)
      assert_equal 1, counts[:adopted][:unwanted], name
      assert_equal 1, counts[:miss], "own.rb is another"
      FileUtils.rm_rf(Dir[File.join(@program.cache, "#{name}-*")])
    end
  end

  test "a lone script takes nothing over, nor does an application of another name whose gems are not known" do
    record("one")
    write("scripts", { "main.rb" => "require #{Program::SETUP.inspect}\nputs 1\n" })
    application("blog")
    [
      [File.join(place("scripts"), "main.rb")],
      ["-r", Program::SETUP, File.join(place("scripts"), "main.rb")],
      [File.join(place("blog"), "bin/main.rb")]
    ].each do |words|
      run =
        @program.ruby(
          "-I",
          File.join(place(HOME), "gems/part-1/lib"),
          *words,
          env: {
            **@cache,
            "WARMSTART_LOG" => "1"
          },
          chdir: @program.base
        )
      assert_equal "exit 0", run.status
      assert_empty run.stderr.lines.grep(/taken over/)
    end
  end

  test "images inside applications are found by each other" do
    @cache = { "WARMSTART_CACHE_DIR" => nil }
    record("one")
    caches = File.join(@program.home, Program::WINDOWS ? "AppData/Local" : ".cache")
    announcement, = Dir[File.join(caches, "warmstart/shop-*")]
    assert_equal File.join(place("one"), "tmp/cache/warmstart"), File.read(announcement)
    assert_equal 0o600, File.stat(announcement).mode & 0o777 unless Program::WINDOWS
    copy("two")
    FileUtils.rm_rf(File.join(place("two"), "tmp"))
    sleep Program::AGEING
    run, counts = boot("two")
    assert_like_plain("two", run)
    assert_equal 0, counts[:miss]
  end

  test "the image that an application's code asks for, and the one of -r beside it" do
    @cache = { "WARMSTART_CACHE_DIR" => nil }
    record("one")
    write("one", { "bin/other.rb" => "require_relative '../lib/own/inner'\nputs INNER\n" })
    other = -> do
      run =
        @program.ruby(
          "-r",
          Program::SETUP,
          File.join(place("one"), "bin/other.rb"),
          env: {
            "WARMSTART_LOG" => "1",
            **@cache
          },
          chdir: place("one")
        )
      assert_equal "exit 0", run.status
      refute_match(/wrong type|Ruby starts as usual/, run.stderr)
      run.stderr
    end
    # (The first boot takes over what the application's own image knows.)
    assert_match(/taken over from .*taken [1-9]/, other.call)
    assert_match(%r{^warmstart: hit .*/own/inner\.rb$}, other.call)
    assert_equal 2, Dir[File.join(@program.home, ".cache/warmstart/shop-*")].size
  end

  test "an image that came with a clone is not taken over, nor one whose announcement leads anywhere else" do
    @cache = { "WARMSTART_CACHE_DIR" => nil }
    record("one")
    copy("two")
    announcement, = Dir[File.join(@program.home, ".cache/warmstart/shop-*")]
    [File.join(place("two"), "tmp/cache/warmstart"), "relative", "", "/nowhere\0", "\xFF"].each do |text|
      File.write(announcement, text)
      copy("three")
      FileUtils.rm_rf(File.join(place("three"), "tmp"))
      sleep Program::AGEING
      run, counts = boot("three")
      assert_like_plain("three", run)
      assert_operator counts[:miss], :>, 3, text
      FileUtils.rm_rf([place("three"), *(Dir[File.join(@program.home, ".cache/warmstart/shop-*")] - [announcement])])
    end
  end

  test "a damaged image is not taken over, and one of another user neither" do
    record("one")
    copy("two")
    segment = @program.segments.max_by { |path| File.size(path) }
    File.open(segment, "r+b") { |file| file.seek(300) && file.write("x") }
    sleep Program::AGEING
    run, counts = boot("two")
    assert_like_plain("two", run)
    assert_equal({}, counts[:adopted])
    assert_operator counts[:miss], :>, 3
  end

  test "damaged code is left out" do
    record("one")
    copy("two")
    @program.segments.each do |segment|
      bytes = File.binread(segment)
      at = bytes.index("YARB", bytes.size / 2) or next
      File.open(segment, "r+b") { |file| file.seek(at + 60) && file.write("damaged") }
    end
    sleep Program::AGEING
    run, counts = boot("two")
    assert_like_plain("two", run)
    assert_operator counts[:adopted][:changed], :>=, 1
  end

  test "nothing is taken over where nothing may be written" do
    record("one")
    copy("two")
    sleep Program::AGEING
    run, counts = boot("two", { "WARMSTART_READONLY" => "1" })
    assert_like_plain("two", run)
    assert_equal [{}, 1], [counts[:adopted], Dir[File.join(@program.cache, "*")].size]
  end

  test "four first boots at once" do
    record("one")
    copy("two")
    sleep Program::AGEING
    runs = Array.new(4) { Thread.new { boot("two") } }.map(&:value)
    runs.each { |run, counts| [assert_like_plain("two", run), assert_equal(0, counts[:stale])] }
    assert_equal 0, boot("two").last[:miss]
  end
end
