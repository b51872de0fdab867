# frozen_string_literal: true

require_relative "test_helper"

# Warmstart.instrumentation: bootsnap's events, (event, path), and a reason for who takes it.
class InstrumentationTest < TestCase
  SETUP = "require #{Program::SETUP.inspect}\n"

  # Boots with the callback until it is warm; the last boot's output.
  def events(callback, files = { "a.rb" => "A = 1\n", "b.rb" => "B = 1\n" }, boots: 1)
    program = program(files.merge("main.rb" => <<~RUBY), witness: false)
      SEEN = []
      Warmstart.instrumentation = #{callback}
      require "a"
      require "b"
      Warmstart.instrumentation = nil
      p SEEN.map { |event, path, *rest| [event, File.basename(path), *rest] }
    RUBY
    runs = Array.new(boots) { program.boot }
    yield program if block_given?
    runs = [program.boot] if block_given?
    assert_equal "", runs.last.stderr
    assert_equal "exit 0", runs.last.status
    runs.last.stdout.chomp
  end

  test "two arguments" do
    assert_equal '[[:miss, "a.rb"], [:miss, "b.rb"]]', events("->(event, path) { SEEN << [event, path] }")
    assert_equal '[[:hit, "a.rb"], [:hit, "b.rb"]]', events("->(event, path) { SEEN << [event, path] }", boots: 2)
  end

  test "three arguments, optional ones, a splat: with a reason" do
    [
      "->(event, path, reason) { SEEN << [event, path, reason] }",
      "->(event, path, reason = 1) { SEEN << [event, path, reason] }",
      "->(*all) { SEEN << all }",
      "proc { |event, path, reason| SEEN << [event, path, reason] }"
    ].each do |callback|
      assert_equal '[[:miss, "a.rb", :not_recorded], [:miss, "b.rb", :not_recorded]]', events(callback), callback
    end
    assert_equal '[[:hit, "a.rb", nil], [:hit, "b.rb", nil]]',
                 events("->(event, path, reason) { SEEN << [event, path, reason] }", boots: 2)
  end

  test "an object with call, a method, a lambda without parameters" do
    assert_equal '[[:hit, "a.rb"], [:hit, "b.rb"]]',
                 events("Class.new { def call(event, path) = SEEN << [event, path] }.new", boots: 2)
    assert_equal '[[:hit, "a.rb"], [:hit, "b.rb"]]',
                 events("SEEN.method(:push).to_proc.then { |push| ->(*two) { push.call(two.first(2)) } }", boots: 2)
  end

  test "stale and revalidated files have their reason" do
    callback = "->(event, path, reason) { SEEN << [event, path, reason] }"
    assert_equal '[[:stale, "a.rb", :size], [:hit, "b.rb", nil]]',
                 events(callback, boots: 2) { |program| program.write("a.rb", "A = 123\n") }
    assert_equal '[[:stale, "a.rb", :mtime], [:hit, "b.rb", nil]]',
                 events(callback, boots: 2) { |program| program.write("a.rb", "A = 2\n") }
    touched = events(callback, boots: 2) { |program| File.utime(Time.now - 60, Time.now - 60, program.path("a.rb")) }
    assert_equal '[[:revalidated, "a.rb", :mtime], [:hit, "b.rb", nil]]', touched
  end

  test "a callback that raises does not disturb the program" do
    program =
      program(
        {
          "a.rb" => "A = 1\n",
          "main.rb" => "Warmstart.instrumentation = ->(*) { raise 'no' }\np $!, require('a'), $!\n"
        },
        witness: false
      )
    run = program.boot
    assert_equal ["exit 0", "nil\ntrue\nnil\n", 1], [run.status, run.stdout, run.complaints.size]
  end

  test "a callback that requires" do
    output =
      events(
        "->(event, path) { SEEN << [event, path]; require 'c' }",
        { "a.rb" => "A = 1\n", "b.rb" => "B = 1\n", "c.rb" => "C = 1\n" },
        boots: 2
      )
    assert_includes output, '[:hit, "a.rb"]'
    assert_includes output, '[:hit, "b.rb"]'
  end

  test "counts and the summary" do
    program = program({ "a.rb" => "A = 1\n", "main.rb" => "require 'a'\n" }, witness: false)
    program.boot
    run = program.boot(env: { "WARMSTART_STATS" => "1" })
    assert_match(/^warmstart: hit: \d+$/, run.stderr)
    assert_equal run.stderr.lines, run.stderr.lines.grep(/\Awarmstart: /)
  end

  test "the log names every file" do
    program = program({ "a.rb" => "A = 1\n", "main.rb" => "require 'a'\n" }, witness: false)
    assert_match(/^warmstart: miss .*a\.rb \(not_recorded\)$/, program.boot(env: { "WARMSTART_LOG" => "1" }).stderr)
    assert_match(/^warmstart: hit .*a\.rb$/, program.boot(env: { "WARMSTART_LOG" => "1" }).stderr)
  end

  test "a logger, with debug or call, hears of what is no hit" do
    ["Class.new { def debug(line) = SEEN << line }.new", "->(line) { SEEN << line }"].each do |logger|
      program =
        program(
          {
            "a.rb" => "A = 1\n",
            "b.rb" => "B = 1\n",
            "main.rb" =>
              "SEEN = []\nWarmstart.logger = #{logger}\nrequire 'a'\nrequire 'b'\nWarmstart.logger = nil\nload 'a.rb'\n" \
                "puts SEEN.map { |line| line.sub(__dir__, '') }\n"
          },
          witness: false
        )
      assert_equal "warmstart: miss /a.rb (not_recorded)\nwarmstart: miss /b.rb (not_recorded)\n", program.boot.stdout
      assert_equal "", program.boot.stdout.lines.grep(/not_recorded/).join
      program.write("b.rb", "B = 12\n")
      assert_equal "warmstart: stale /b.rb (size)\n", program.boot.stdout
    end
  end
end
