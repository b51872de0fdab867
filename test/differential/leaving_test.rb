# frozen_string_literal: true

require_relative "../test_helper"

# Ways out of a file that is being required; a later require tries again.
class LeavingTest < TestCase
  test "an exception" do
    assert_same_behaviour(
      {
        "a.rb" => "p $!\n$n = $n.to_i + 1\nrequire 'b'\nraise 'boom' if $n == 1\nA = 1\n",
        "b.rb" => "B = 1\n",
        "main.rb" => <<~RUBY
        begin; require "a"; rescue => error; p error.message, error.backtrace; end
        p Witness.features, $!
        begin; raise "outer"; rescue; p $!; p require("a"); p $!; end
        p Witness.features, require("a"), $n
      RUBY
      }
    )
  end

  test "an exception that nobody rescues" do
    assert_same_behaviour(
      {
        "a.rb" => "def f = raise(ArgumentError, 'no')\nf\n",
        "main.rb" => "at_exit { p $!.class, Witness.features }\nrequire 'a'\n"
      },
      ends: "exit 1"
    )
  end

  test "a syntax error, twice" do
    assert_same_behaviour({ "bad.rb" => "def x(\n", "main.rb" => <<~'RUBY' }, misses: %w[bad.rb])
        2.times { begin; p require("bad"); rescue SyntaxError => error; puts error.message, error.backtrace.inspect; end }
        begin; p load("#{__dir__}/bad.rb"); rescue SyntaxError => error; puts error.message; end
        p Witness.features, (error.path if error.respond_to?(:path))
      RUBY
  end

  test "a syntax error that nobody rescues" do
    assert_same_behaviour(
      { "bad.rb" => "class A\n  def b\nend\n", "main.rb" => "require 'bad'\n" },
      misses: %w[bad.rb],
      ends: "exit 1"
    )
  end

  test "errors of the compiler that are no parse errors" do
    assert_same_behaviour(
      {
        "a.rb" => "break\n",
        "b.rb" => "def m; class X; end; end\n",
        "c.rb" => "yield\n",
        "d.rb" => "retry\n",
        "e.rb" => "next\n",
        "f.rb" => "redo\n",
        "main.rb" => <<~RUBY
        %w[a b c d e f].each do |name|
          2.times { begin; p require(name); rescue SyntaxError, LocalJumpError => error; puts error.class, error.message; end }
        end
        p Witness.features
      RUBY
      },
      misses: %w[a.rb b.rb c.rb d.rb e.rb f.rb]
    )
  end

  test "throw" do
    assert_same_behaviour(
      {
        "a.rb" => "$n = $n.to_i + 1\nthrow :out, 7 if $n == 1\n",
        "main.rb" => "p catch(:out) { require 'a' }, Witness.features, require('a'), Witness.features\n"
      }
    )
  end

  test "exit" do
    assert_same_behaviour(
      {
        "a.rb" => "exit 3\n",
        "main.rb" =>
          "at_exit { p Witness.features, $!.class }\nbegin; require 'a'; ensure; p $!, Witness.features; end\n"
      },
      ends: "exit 3"
    )
  end

  test "exit that is rescued" do
    assert_same_behaviour(
      {
        "a.rb" => "$n = $n.to_i + 1; exit 3 if $n == 1\n",
        "main.rb" =>
          "begin; require 'a'; rescue SystemExit => error; p error.status, error.backtrace; end\np Witness.features, require('a'), Witness.features\n"
      }
    )
  end

  test "exit! and abort" do
    assert_same_behaviour({ "a.rb" => "abort 'sorry'\n", "main.rb" => "require 'a'\n" }, ends: "exit 1")
    assert_same_behaviour(
      { "a.rb" => "$stdout.sync = true; puts :a; exit! 4\n", "main.rb" => "require 'a'\n" },
      ends: "exit 4"
    )
  end

  test "break, next and return of a proc that was made outside" do
    assert_same_behaviour({ "a.rb" => "$proc.call\nA = 1\n", "main.rb" => <<~RUBY })
        def returning; $proc = proc { return 5 }; require 'a'; :after; end
        begin; p returning; rescue LocalJumpError => error; p error.message, error.reason, error.exit_value; end
        def breaking; [1].each { $proc = proc { break 6 }; require 'a' }; :after; end
        begin; p breaking; rescue LocalJumpError => error; p error.message, error.reason, error.exit_value; end
        def going_on; $proc = proc { next 7 }; require 'a'; :after; end
        p Witness.features, going_on, Witness.features
      RUBY
  end

  test "Timeout" do
    assert_same_behaviour({ "a.rb" => "$n = $n.to_i + 1; sleep 5 if $n == 1\n", "main.rb" => <<~'RUBY' })
        require "timeout"
        begin; Timeout.timeout(0.1) { require "a" }; rescue Timeout::Error => error; p error.class, error.backtrace.grep(/#{__dir__}/); end
        p Witness.features, require("a"), Witness.features
      RUBY
  end

  test "a signal" do
    assert_same_behaviour(
      {
        "a.rb" => "Process.kill(:TERM, $$); sleep 5\n",
        "main.rb" => "begin; require 'a'; rescue SignalException => error; p error.signo, Witness.features; end\n"
      }
    )
    assert_same_behaviour(
      { "a.rb" => "Process.kill(:TERM, $$); sleep 5\n", "main.rb" => "at_exit { p Witness.features }\nrequire 'a'\n" },
      ends: Program::TERMINATED
    )
  end

  test "a stack that is too deep" do
    assert_same_behaviour(
      {
        "a.rb" => "def f = f()\nbegin; f; rescue SystemStackError => error; puts error.message; end\n",
        "main.rb" => "p require('a')\n"
      }
    )
  end

  test "a continuation-like fiber that never ends" do
    assert_same_behaviour({ "a.rb" => "A = 1; Fiber.yield(:middle); B = 2\n", "main.rb" => <<~RUBY })
        fiber = Fiber.new { require "a" }
        p fiber.resume, Witness.features, defined?(A), defined?(B)
        p fiber.resume, Witness.features, B, require("a")
      RUBY
  end

  test "another fiber requires what one is loading" do
    assert_same_behaviour({ "a.rb" => "A = 1; Fiber.yield(:middle); B = 2\n", "main.rb" => <<~RUBY })
        fiber = Fiber.new { require "a" }
        p fiber.resume
        other = Fiber.new { begin; require "a"; rescue Exception => error; p error.class, error.message.lines.first; end }
        other.resume
        p fiber.resume, require("a"), Witness.features
      RUBY
  end

  test "a fiber that is dropped in the middle of a file, its stack used again" do
    assert_same_behaviour({ "a.rb" => "Fiber.yield; A = 1\n", "b.rb" => "B = 1\n", "main.rb" => <<~RUBY }, misses: :any)
        def deep(n) = n.zero? ? Fiber.new { require "a" }.resume : deep(n - 1)
        deep(50)
        5.times { 300.times.map { Fiber.new { Array.new(50) { Object.new }; Fiber.yield }.tap(&:resume) }; GC.start }
        p require("b"), $LOADED_FEATURES.size.positive?
        autoload :Missing, "missing"
      RUBY
  end

  test "a continuation goes back into a file that has ended" do
    assert_same_behaviour(
      { "a.rb" => "$n = 0; callcc { |k| $k = k }; $n += 1; A = 1 unless defined?(A)\n", "main.rb" => <<~RUBY }
        require "continuation"
        p require("a"), $n
        GC.start
        $k.call if $n < 4
        p Witness.features
      RUBY
    )
  end

  test "a signal's handler requires, where Ruby refuses to lock" do
    assert_same_behaviour({ "a.rb" => "A = 1\n", "main.rb" => <<~RUBY })
        def try = p(Kernel.require("a")) rescue p($!)
        trap(:USR1) { try; try }
        Process.kill(:USR1, $$)
        sleep 0.1
        try
        p A
      RUBY
  end

  test "a throw out of a file, by every way to require it" do
    assert_same_behaviour({ "a.rb" => "throw :out, 7 if $throw\nA = 1 unless defined?(A)\n", "main.rb" => <<~'RUBY' })
        WAYS = [-> { require "a" }, -> { require_relative "a" }, -> { require "#{__dir__}/a" }, -> { load "a.rb" }].freeze
        WAYS.each do |way|
          $throw = true
          p catch(:out) { way.call }, Witness.features
        end
        $throw = false
        WAYS.each { |way| p way.call }
      RUBY
  end
end
