# frozen_string_literal: true

require_relative "test_helper"

# `warmstart exec`: RubyGems and its companions are loaded by us, after the image is open. Programs must find all as
# Ruby's own prelude leaves it.
class StartTest < TestCase
  OPTIONS =
    "-I#{File.join(Program::REPOSITORY, "lib/warmstart/before_rubygems")} -r#{File.join(Program::REPOSITORY, "lib/warmstart/start.rb")}"

  # (our own files, and the frames below -r, are not compared)
  STATE = <<~'RUBY'
    ours = ->(path) { path.include?("/lib/warmstart") }
    puts $LOADED_FEATURES.reject(&ours), $LOAD_PATH
    puts %i[Gem ErrorHighlight DidYouMean SyntaxSuggest Monitor RbConfig].map { |name| "#{name} #{Object.const_defined?(name)}" }
    puts [Kernel.method(:require), method(:require), method(:gem), method(:warn)].map { |m| [m.owner, m.arity, m.source_location].inspect } if defined?(Gem)
    puts Gem.loaded_specs.map { |name, spec| [name, spec.version, spec.class, spec.full_gem_path].join(" ") } if defined?(Gem)
    puts Object.private_instance_methods(false).sort.inspect, $VERBOSE.inspect, $-w.inspect, $DEBUG.inspect
  RUBY

  # (As `exec` does for a script; code has nobody to say it. The program is a child of this process.)
  def run_with(program, *words, options: nil, env: {})
    script = words.find { |word| word.end_with?(".rb") } unless words.include?("-e")
    handed = { "WARMSTART_PROGRAM" => "#{Process.pid} #{program.path(script)}" } if options && script
    program.ruby(*words, env: { **env, **handed.to_h, "RUBYOPT" => [options, env["RUBYOPT"]].compact.join(" ") })
  end

  def assert_same_start(program, *words, env: {})
    plain = run_with(program, *words, env: env)
    2.times do
      run = run_with(program, *words, env: env, options: OPTIONS)
      assert plain.transcript == run.transcript,
             -> { "#{words.first(3)} #{env}: differs from plain Ruby\n#{line_diff(plain.transcript, run.transcript)}" }
    end
    plain
  end

  test "features, load path, methods and activated gems are those that Ruby's prelude leaves" do
    program = program({ "state.rb" => STATE })
    assert_includes assert_same_start(program, "state.rb").stdout, "Gem true"
    assert_same_start(program, "-W", "state.rb")
    assert_same_start(program, "-W0", "-Ilib", "-rset", "state.rb")
    assert_same_start(program, "-ruri", "-rjson", "-e", STATE)
    assert_same_start(
      program,
      "-S",
      "state.rb",
      "an",
      "argument",
      env: {
        "PATH" => "#{program.folder}:#{ENV["PATH"]}"
      }
    )
  end

  test "the collector is on, governed or not; autoloads of Ruby's own are known" do
    program =
      program(
        {
          "state.rb" =>
            "p GC.disable, GC.enable, GC.enable, GC.count.then { |n| GC.start; GC.count > n }\np Object.autoload?(:Set), Set.new([1]).size\n"
        }
      )
    [
      {},
      { "WARMSTART_GC" => "off" },
      { "WARMSTART" => "0" },
      { "WARMSTART_CACHE_DIR" => nil, "HOME" => nil }
    ].each do |env|
      plain = run_with(program, "state.rb", env: env)
      2.times do
        assert_equal plain.stdout, run_with(program, "state.rb", env: env, options: OPTIONS).stdout, env.inspect
      end
    end
  end

  test "what is disabled stays so, on the command line and in RUBYOPT" do
    program = program({ "state.rb" => STATE })
    all = [
      %w[--disable-gems],
      %w[--disable=gems],
      %w[--disable gems],
      %w[--disable-all],
      %w[--disable=did_you_mean],
      %w[--disable=did],
      %w[--disable-error-highlight],
      %w[--disable=gem],
      %w[--disable=all --enable=gems],
      %w[--enable=gems],
      %w[--enable=frozen-string-literal],
      %w[-W1 -I . --disable=did_you_mean,error_highlight]
    ]
    all.each { |words| assert_same_start(program, *words, "state.rb") }
    assert_same_start(program, "state.rb", "--disable-gems")
    assert_same_start(program, "-e", STATE, "--disable-gems")
    ["--disable=did_you_mean", "-W1 --disable-gems", "--disable=error_highlight -W0"].each do |text|
      assert_same_start(program, "state.rb", env: { "RUBYOPT" => text })
    end
  end

  test "errors are highlighted and names are guessed as usual" do
    program =
      program(
        {
          "typo.rb" => "def wrold = 1\nworld\n",
          "nil.rb" => "x = nil\nx.upcase + 1\n",
          "syntax.rb" => "def a\n  if 1\nend\n",
          "missing.rb" => "require 'no/such'\n"
        }
      )
    %w[typo.rb nil.rb syntax.rb].each { |name| assert_same_start(program, name) }
    plain, ours = [nil, OPTIONS].map { |options| run_with(program, "missing.rb", options: options) }
    assert_equal plain.transcript, ours.transcript
  end

  test "children, and warmstart exec inside warmstart exec" do
    program =
      program(
        {
          "state.rb" => STATE,
          "parent.rb" => "puts `#{RbConfig.ruby.dump[1..-2]} state.rb`, fork { load 'state.rb' }.class\nProcess.wait\n"
        }
      )
    plain = run_with(program, "parent.rb").stdout.gsub(/^.*(?:RUBYOPT).*$/, "")
    assert_equal plain, run_with(program, "parent.rb", options: OPTIONS).stdout
    assert_equal plain, run_with(program, "parent.rb", options: "#{OPTIONS} #{OPTIONS}").stdout
  end

  test "default gems are activated when one of their files is asked for, as without a record" do
    program = program({ "activate.rb" => <<~RUBY })
      before = Gem.loaded_specs.keys
      %w[json psych/version set erb stringio bigdecimal no/such ./x].each do |name|
        spec = Gem.find_unresolved_default_spec(name)
        p [name, spec&.full_name, spec&.default_gem?, spec&.loaded_from, spec&.files&.size]
        begin; p require(name); rescue LoadError => error; p error.message; end
      end
      p Gem.loaded_specs.keys - before, Gem::Specification.find_by_name("json").equal?(Gem.loaded_specs["json"])
      p Gem.find_unresolved_default_spec("yaml/store"), Gem::Specification.stubs.size, Gem::Specification.select(&:default_gem?).map(&:full_name).sort
      begin; gem "rake", "< 1"; rescue LoadError => error; p error.class, error.message; end
      Gem.clear_default_specs
      p Gem.find_unresolved_default_spec("yaml"), Gem.instance_variable_get(:@path_to_default_spec_map).size
    RUBY

    assert_same_start(program, "activate.rb")
    assert_equal 1, Dir[File.join(program.cache, "*", "*.record")].size
    assert_same_start(program, "activate.rb", env: { "WARMSTART_DEFAULT_GEMS" => "0" })
    assert_same_start(program, "activate.rb", env: { "WARMSTART" => "0" })
  end

  # RubyGems lets a distribution say where the default gems are.
  FILES = {
    "lib/rubygems/defaults/operating_system.rb" =>
      "def Gem.default_specifications_dir = File.join(ENV.fetch('HOME'), 'specifications')\n",
    "lib/fruit.rb" => "puts 'fruit'\n",
    "main.rb" =>
      "p %w[fruit fruit/apple fruit/pear.rb other].map { |name| Gem.find_unresolved_default_spec(name)&.full_name }\nrequire 'fruit'\np Gem.loaded_specs.keys.grep(/fruit/)\n"
  }.freeze

  def gemspec(name, version, *files)
    "Gem::Specification.new do |s|\n  s.name = #{name.dump}\n  s.version = #{version.dump}\n  s.files = #{files.inspect}\n  s.require_paths = ['lib']\n  " \
      "s.summary = s.author = 'x'\nend\n"
  end

  def write_gemspec(program, name, text)
    folder = File.join(program.home, "specifications")
    FileUtils.mkdir_p(folder)
    File.write(File.join(folder, "#{name}.gemspec"), text)
  end

  def assert_follows(program)
    plain = run_with(program, "-Ilib", "main.rb")
    3.times { assert_equal plain.transcript, run_with(program, "-Ilib", "main.rb", options: OPTIONS).transcript }
    plain.stdout
  end

  test "the record follows the folder: a gemspec that is changed, added, removed or bad" do
    program = program(FILES)
    write_gemspec(program, "fruit-1", gemspec("fruit", "1", "lib/fruit.rb", "lib/fruit/apple.rb"))
    assert_match(/"fruit-1", "fruit-1", nil, nil/, assert_follows(program))
    write_gemspec(program, "fruit-1", gemspec("fruit", "1", "lib/fruit.rb", "lib/fruit/pear.rb"))
    assert_match(/"fruit-1", nil, "fruit-1", nil/, assert_follows(program))
    write_gemspec(program, "other-2", gemspec("other", "2", "lib/other.rb"))
    assert_match(/"other-2"/, assert_follows(program))
    write_gemspec(program, "bad-1", "raise 'bad'\n")
    assert_match(/Invalid gemspec/, run_with(program, "-Ilib", "main.rb").stderr)
    assert_follows(program)
    FileUtils.rm(File.join(program.home, "specifications/bad-1.gemspec"))
    FileUtils.rm(File.join(program.home, "specifications/other-2.gemspec"))
    refute_match(/"other-2"/, assert_follows(program))
  end

  test "a damaged record is nobody's word" do
    program = program(FILES)
    write_gemspec(program, "fruit-1", gemspec("fruit", "1", "lib/fruit.rb"))
    assert_follows(program)
    record = Dir[File.join(program.cache, "*", "*.record")].fetch(0)
    [0, 40, File.size(record) - 1].each do |offset|
      bytes = File.binread(record)
      bytes.setbyte(offset, bytes.getbyte(offset) ^ 1)
      File.binwrite(record, bytes)
      assert_follows(program)
    end
  end

  test "a record of another form is nobody's word" do
    program = program(FILES)
    write_gemspec(program, "fruit-1", gemspec("fruit", "1", "lib/fruit.rb"))
    assert_follows(program)
    write = "Warmstart::Native.write_record(Warmstart::DefaultGems.send(:id, Gem.default_specifications_dir), %s)"
    [
      "'no Marshal'",
      "Marshal.dump(7)",
      "Marshal.dump([0, 'x', [], '', [], {}])",
      "Marshal.dump([1, Gem.default_specifications_dir, ['/x'], 'too short', [], {}])"
    ].each do |bytes|
      program.write("write.rb", "p #{format(write, bytes)}")
      assert_kind_of Integer, Integer(run_with(program, "-Ilib", "write.rb", options: OPTIONS).stdout)
      assert_follows(program)
    end
  end
end
