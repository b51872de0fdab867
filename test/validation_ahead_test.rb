# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/clock"

# Where metadata calls are slow (a clock of the test's says that they are, support/clock.rb), threads make those of a
# gem's files before their turn. What a program shows must not depend on it; its own files, second loads and what comes
# after the boot get their own calls.
class ValidationAheadTest < TestCase
  COUNT = 200
  FIRST = 5 # After so many files it is known that calls are slow: SLOW_IN_A_ROW of validation_ahead.c, and one more.

  FILES =
    COUNT
      .times
      .to_h { |i| ["gems/gems/big-1/lib/big/part#{i / 20}/file#{i}.rb", "module Big\n  FILE#{i} = #{i}\nend\n"] }
      .merge("gems/specifications/big-1.gemspec" => "", "own/mine.rb" => "MINE = 1\n", "main.rb" => <<~RUBY)
      $LOAD_PATH.unshift File.join(__dir__, "own"), File.join(__dir__, "gems/gems/big-1/lib")
      threads = -> { Dir.children("/proc/self/task").size }
      alone = threads.call
      #{COUNT}.times do |i|
        require "big/part\#{i / 20}/file\#{i}"
        # (The threads end when they have made all calls.)
        sleep 0.001 while ENV["WAIT"] && i == #{FIRST - 1} && threads.call > alone
      end
      require "mine"
      puts Big.constants.sum { |name| Big.const_get(name) }, MINE
      $stderr.puts Warmstart::Native.ahead_counts.values.join(" ") if ENV["TELL"]
    RUBY
      .freeze

  def setup
    skip "a clock of our own is preloaded by Linux's linker" unless RUBY_PLATFORM.include?("linux")
    missing "there is no C compiler" unless Clock.available?
    @clock = Clock.new(File.join(temporary_folder, "clock"))
  end

  def warm_program(files = FILES)
    program(files, witness: false, load_path: [], args: %w[--disable-gems]).tap { |made| 2.times { made.boot } }
  end

  # A boot in which each metadata call takes so many seconds. They also take a little of the real time, so that the
  # threads come before the program.
  def timed(program, seconds, env: {})
    @clock.slow_down(seconds, delay: seconds / 5)
    program.boot(env: { "TELL" => "1", **@clock.environment, **env })
  end

  def slow(program, **options) = timed(program, 0.001, **options)

  def counts(run) = run.stderr.lines.last.split.map(&:to_i)

  test "slow calls are made ahead, quick ones are not, and the answer is the same" do
    program = warm_program
    run = slow(program, env: { "WAIT" => "1" })
    assert_equal program.plain.stdout, run.stdout
    paths, threads, used = counts(run)
    assert_operator used, :>=, COUNT - FIRST, run.stderr
    assert_operator threads, :>=, 2
    assert_operator paths, :<=, 3 * COUNT
    assert_equal [0] * 8, counts(timed(program, 0))
    assert_equal [0] * 8, counts(timed(program, 0.000_049))
    assert_operator counts(timed(program, 0.000_051))[1], :>=, 1
  end

  test "it can be turned off" do
    assert_equal [0] * 8, counts(slow(warm_program, env: { "WARMSTART_AHEAD" => "0" }))
  end

  test "a gem's file that was edited between two boots is noticed" do
    program = warm_program
    program.write("gems/gems/big-1/lib/big/part7/file150.rb", "module Big\n  FILE150 = 1_000_150\nend\n")
    assert_equal program.plain.stdout, slow(program).stdout
  end

  test "the application's own file is looked at when it is required" do
    written =
      FILES.merge(
        "main.rb" =>
          FILES.fetch("main.rb").sub(
            'require "mine"',
            'File.write(File.join(__dir__, "own/mine.rb"), "MINE = 22 + 0\n"); require "mine"'
          )
      )
    program = warm_program(written)
    assert_match(/\n22\n\z/, slow(program).stdout)
  end

  test "a second load of a gem's file sees what was written after the first" do
    written = FILES.merge("main.rb" => FILES.fetch("main.rb").sub('require "mine"', <<~RUBY.chomp))
      path = File.join(__dir__, "gems/gems/big-1/lib/big/part9/file199.rb")
      before = File.read(path)
      $LOADED_FEATURES.delete(path)
      File.write(path, "module Big\\n  remove_const(:FILE199)\\n  FILE199 = 5_000_000\\nend\\n")
      require "big/part9/file199"
      File.write(path, before)
      require "mine"
    RUBY
    program = warm_program(written)
    assert_equal program.plain.stdout, slow(program).stdout
  end

  test "a child makes its own calls" do
    forking = FILES.merge("main.rb" => FILES.fetch("main.rb").sub(/^#{COUNT}\.times do.*?^end$/m) { <<~RUBY.chomp })
      100.times { |i| require "big/part\#{i / 20}/file\#{i}" }
      child = fork { 100.times { |i| require "big/part\#{5 + i / 20}/file\#{100 + i}" }; exit!(Big.constants.size == #{COUNT} ? 0 : 1) }
      puts Process.wait2(child).last.success?
      #{COUNT}.times { |i| require "big/part\#{i / 20}/file\#{i}" }
    RUBY
    program = warm_program(forking)
    run = slow(program)
    assert_equal program.plain.stdout, run.stdout
    assert_equal "exit 0", run.status
  end
end
