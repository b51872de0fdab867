# frozen_string_literal: true

require_relative "test_helper"

# Warmstart.setup(frozen_string_literals: true): the application's own files are compiled as if each had the magic comment, in
# every thread, whether they come from the image or not; nothing else is.
class FrozenLiteralsTest < TestCase
  with_rubygems

  ON = { "WARMSTART_FROZEN_STRING_LITERALS" => "1" }.freeze
  SAY = "puts \"\#{__FILE__.delete_prefix(ROOT)} \#{'x'.frozen?} \#{\"\#{1}\".frozen?} \#{eval(\"'y'\").frozen?}\"\n"
  FILES = {
    "Gemfile" => "",
    "lib/own.rb" => SAY,
    "lib/mutable.rb" => "# frozen_string_literal: false\n#{SAY}",
    "lib/frozen.rb" => "# frozen_string_literal: true\n#{SAY}",
    "vendor/bundle/specifications/a-1.gemspec" => "",
    "vendor/bundle/gems/a-1/lib/a_gem.rb" => SAY,
    "main.rb" =>
      "ROOT = __dir__ + '/'\n%w[own mutable frozen a_gem set].each { |name| require name }\nload 'lib/own.rb'\np 'main'.frozen?\n"
  }.freeze
  LOAD_PATH = %w[lib vendor/bundle/gems/a-1/lib].freeze
  OUTPUT = <<~TEXT
    lib/own.rb true false %<own>s
    lib/mutable.rb false false false
    lib/frozen.rb true false %<frozen>s
    vendor/bundle/gems/a-1/lib/a_gem.rb false false false
    lib/own.rb true false %<own>s
    false
  TEXT

  # (eval takes nothing over from the file around it: neither the magic comment nor our option)
  def expected = format(OUTPUT, own: false, frozen: false)

  test "the application's own files, with an image and without" do
    program = program(FILES, load_path: LOAD_PATH)
    4.times do |number|
      run = program.boot(env: ON)
      assert_equal [expected, ""], [run.stdout, run.stderr], number
    end
    assert_equal %w[lib/frozen.rb lib/mutable.rb lib/own.rb vendor/bundle/gems/a-1/lib/a_gem.rb],
                 program.boot(env: ON).hits
    assert_equal expected, program.boot(env: { **ON, "WARMSTART_CODE" => "0" }).stdout
    assert_equal expected,
                 program.boot(
                   env: {
                     **ON,
                     "WARMSTART_READONLY" => "1",
                     "WARMSTART_CACHE_DIR" => temporary_folder
                   }
                 ).stdout
  end

  test "code with and without frozen literals is never mixed" do
    program = program(FILES, load_path: LOAD_PATH)
    plain = program.plain
    2.times { program.boot }
    assert_equal 4, program.boot.hits.size
    run = program.boot(env: ON)
    assert_equal expected, run.stdout
    assert_includes run.events, "miss lib/own.rb literals"
    assert_equal 4, program.boot(env: ON).hits.size
    assert_same_run plain, program.boot
    assert_same_run plain, program.boot
    sealed = program.seal
    assert_same_run plain, program.boot(image: sealed)
    assert_equal expected, program.boot(image: sealed, env: ON).stdout
  end

  test "by a keyword" do
    program = program({ "Gemfile" => "", "a.rb" => "p 'a'.frozen?\n", "main.rb" => <<~RUBY }, witness: false)
        require #{File.join(Program::REPOSITORY, "lib/warmstart").inspect}
        Warmstart.setup(cache_dir: File.join(__dir__, "cache"), frozen_string_literals: true)
        require "a"
        Warmstart.unload!
        load "a.rb"
      RUBY

    2.times { assert_equal "true\nfalse\n", program.plain(env: { "WARMSTART_CACHE_DIR" => nil }).stdout }
  end

  test "what another thread evaluates meanwhile is not touched" do
    files = (1..12).to_h { |number| ["f#{number}.rb", "F#{number} = 'x'\n#{"# a comment\n" * 500}"] }
    program = program({ **files, "Gemfile" => "", "main.rb" => <<~RUBY })
        seen = {}
        stop = false
        thread = Thread.new { seen[eval("'y'").frozen?] = true until stop }
        Thread.pass while seen.empty?
        frozen = (1..12).map { |number| require "f\#{number}"; Object.const_get("F\#{number}").frozen? }.uniq
        stop = true
        thread.join
        p frozen, seen.keys
      RUBY

    3.times { assert_equal "[true]\n[false]\n", program.boot(env: ON).stdout }
  end

  test "threads that load at the same time" do
    files = (1..40).to_h { |number| ["f#{number}.rb", "F#{number} = ['x'.frozen?, __FILE__]\n"] }
    gem = (1..40).to_h { |number| ["gems/gems/g-1/g#{number}.rb", "G#{number} = 'x'.frozen?\n"] }
    program =
      program(
        { **files, **gem, "gems/specifications/g-1.gemspec" => "", "Gemfile" => "", "main.rb" => <<~RUBY },
        [["f", 1..20], ["f", 21..40], ["g", 1..40]].map { |name, range| Thread.new { range.each { |number| require "\#{name}\#{number}" } } }.each(&:join)
        p (1..40).map { |number| Object.const_get("F\#{number}") }.all? { |frozen, file| frozen && file.start_with?(__dir__) }
        p (1..40).map { |number| Object.const_get("G\#{number}") }.uniq
      RUBY
        load_path: ["", "gems/gems/g-1"]
      )
    4.times { assert_equal "true\n[false]\n", program.boot(env: ON).stdout }
  end

  # All that Ruby says about a file that cannot be loaded, and the frames of one that can, but for the label.
  test "errors and backtraces" do
    program =
      program(
        {
          "Gemfile" => "",
          "bad.rb" => "def x\n  1 +\nend\n",
          "late.rb" => "def m = 'x' << 'y'\n",
          "raises.rb" => "def self.m = raise('no')\n[1].each { m }\n",
          "main.rb" => <<~RUBY
        %w[bad nowhere raises late].each do |name|
          require name
          m
        rescue Exception => error
          puts error.class, error.message, error.backtrace, (error.path.inspect if error.respond_to?(:path)), $!.equal?(error)
        end
        p __method__, $!
      RUBY
        }
      )
    plain = program.plain(args: ["--enable-frozen-string-literal"])
    3.times do
      run = program.boot(env: ON)
      assert_equal plain.stdout.gsub("<top (required)>", "<main>"), run.stdout
      assert_equal plain.stderr, run.stderr
      assert_equal plain.status, run.status
    end
  end

  test "with Coverage it is said that literals are not frozen" do
    program =
      program(
        {
          "Gemfile" => "",
          "a.rb" => "p 'a'.frozen?\n",
          "b.rb" => "p 'b'.frozen?\n",
          "main.rb" => "require 'coverage'\nCoverage.start\nrequire 'a'\nrequire 'b'\np Coverage.result.size\n"
        }
      )
    2.times do
      run = program.boot(env: ON)
      assert_equal "false\nfalse\n2\n", run.stdout
      assert_equal 1, run.complaints.size
      assert_match(
        %r{\Awarmstart: put '# frozen_string_literal: true' into .*/a\.rb: Coverage is on, so its string literals are not frozen},
        run.complaints.first
      )
    end
  end

  test "compile_option= of the program stays in force" do
    program =
      program(
        {
          "Gemfile" => "",
          "a.rb" => "p 'a'.frozen?, RubyVM::InstructionSequence.compile_option[:tailcall_optimization]\n",
          "main.rb" => "RubyVM::InstructionSequence.compile_option = { tailcall_optimization: true }\nrequire 'a'\n"
        }
      )
    2.times { assert_equal "true\ntrue\n", program.boot(env: ON).stdout }
  end

  test "a file that warns says so once" do
    program =
      program({ "Gemfile" => "", "a.rb" => "x = 1\np 'a'.frozen?\n", "main.rb" => "require 'a'\n" }, args: ["-w"])
    plain = program.plain
    refute_empty plain.stderr
    3.times { assert_equal ["true\n", plain.stderr], program.boot(env: ON).then { |run| [run.stdout, run.stderr] } }
  end

  # ---- build ----

  def build(program, *arguments, env: ON)
    run = program.ruby(File.join(Program::REPOSITORY, "exe/warmstart"), "build", "--quiet", *arguments, env: env)
    assert_equal ["exit 0", ""], [run.status, run.stderr]
  end

  test "build --all compiles so as the variable says" do
    program = program(FILES, load_path: LOAD_PATH)
    build(program, "--all", program.folder)
    run = program.boot(env: { **ON, "WARMSTART_READONLY" => "1" })
    assert_equal expected, run.stdout
    assert_equal 4, run.hits.size
  end

  test "a sealed image takes the setting from the program that it was trained with" do
    program =
      program(
        { **FILES, "main.rb" => <<~RUBY + FILES.fetch("main.rb") },
        $:.unshift(*%w[lib vendor/bundle/gems/a-1/lib].map { |name| File.join(__dir__, name) })
        require #{File.join(Program::REPOSITORY, "lib/warmstart").inspect}
        Warmstart.setup(frozen_string_literals: true)
        at_exit { p Warmstart::Native.counts[:hit] > 3 }
      RUBY
        env: {
          "WARMSTART_CACHE_DIR" => nil
        },
        witness: false
      )
    build(program, "--seal", "--", RbConfig.ruby, "main.rb", env: {})
    assert_equal "#{expected}true\n", program.plain.stdout
  end
end
