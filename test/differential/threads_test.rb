# frozen_string_literal: true

require_relative "../test_helper"

# Several threads, fibers, processes and Ractors that require.
class ThreadsTest < TestCase
  test "one of several threads loads, the others wait" do
    assert_same_behaviour(
      {
        "a.rb" => "A = 1; sleep 0.1; B = 2\n",
        "main.rb" =>
          "results = 4.times.map { Thread.new { require 'a' } }.map(&:value)\np results.count(true), results.count(false), B, Witness.features\n"
      }
    )
  end

  test "where the first thread fails the next one tries" do
    assert_same_behaviour(
      { "a.rb" => "$n = $n.to_i + 1; sleep 0.1; raise 'x' if $n < 3; B = 2\n", "main.rb" => <<~RUBY }
        results = 5.times.map { Thread.new { begin; require "a"; rescue => error; error.message; end } }.map(&:value)
        p results.tally.sort_by(&:inspect), Witness.features, $n
      RUBY
    )
  end

  test "Thread#kill in the middle of a file" do
    assert_same_behaviour(
      { "a.rb" => "A = 1 unless defined?(A); $n = $n.to_i + 1; sleep if $n == 1; B = 2\n", "main.rb" => <<~RUBY }
        thread = Thread.new { require "a" }
        Thread.pass until thread.stop? && defined?(A)
        p Witness.features
        other = Thread.new { require "a" }
        sleep 0.1
        thread.kill.join
        p other.value, Witness.features, require("a"), B
      RUBY
    )
  end

  test "Thread#raise in the middle of a file" do
    assert_same_behaviour(
      { "a.rb" => "$n = $n.to_i + 1; (STARTED = 1; sleep) if $n == 1; B = 2\n", "main.rb" => <<~RUBY }
        thread = Thread.new { begin; require "a"; rescue => error; error.message; end }
        Thread.pass until thread.stop? && defined?(STARTED)
        thread.raise "stop"
        p thread.value, Witness.features, require("a"), B
      RUBY
    )
  end

  test "two threads with different files" do
    files = 8.times.to_h { |i| ["f#{i}.rb", "require 'common'; F#{i} = 1; Thread.pass\n"] }
    assert_same_behaviour(
      files.merge(
        "common.rb" => "sleep 0.01; COMMON = 1\n",
        "main.rb" => "p 8.times.map { |i| Thread.new { require \"f\#{i}\" } }.map(&:value)\n$LOADED_FEATURES.sort!\n"
      ),
      # (ruby/recorder/warnings.c: where another thread is just adding the listener, a file waits for the next boot)
      misses: :some
    )
  end

  test "two threads that wait for each other" do
    assert_same_behaviour(
      {
        "a.rb" => "$begun << :a; sleep 0.01 until $begun.size == 2; require 'b'; A = 1\n",
        "b.rb" => "$begun << :b; sleep 0.01 until $begun.size == 2; require 'a'; B = 1\n",
        "main.rb" => <<~RUBY
        $begun = Queue.new
        threads = %w[a b].map { |name| Thread.new { begin; require name; rescue Exception => error; error.class; end } }
        begin; p threads.map(&:value).map(&:to_s).sort; rescue Exception => error; p error.class; end
      RUBY
      },
      misses: :some
    )
  end

  test "a file that waits for a thread that requires another" do
    assert_same_behaviour(
      {
        "a.rb" => "p Thread.new { require 'b' }.value\n",
        "b.rb" => "B = 1\n",
        "main.rb" => "p require('a'), Witness.features\n"
      }
    )
  end

  test "thread-local state, groups and names are left alone" do
    assert_same_behaviour(
      {
        "a.rb" =>
          "Thread.current[:a] = 1; Thread.current.thread_variable_set(:b, 2); p Thread.list.size, Thread.current.keys, Thread.current.name\n",
        "main.rb" =>
          "Thread.current[:main] = 1; p require('a'), Thread.current.keys, Thread.list.size, Thread.current.priority\n"
      }
    )
  end

  test "fork in the middle of a boot" do
    assert_same_behaviour({ "a.rb" => "A = 1\n", "b.rb" => "B = 1\n", "main.rb" => <<~RUBY })
        $stdout.sync = true
        p require("a")
        pid = fork { p require("a"), require("b"), Witness.features; at_exit { puts :child } }
        Process.wait(pid)
        p $?.exitstatus, require("b"), Witness.features
      RUBY
  end

  test "fork while a thread is loading a file" do
    assert_same_behaviour(
      {
        "a.rb" => "$n = $n.to_i + 1; sleep 0.4 if Thread.current != Thread.main; A = 1 unless defined?(A)\n",
        "main.rb" => <<~RUBY
        $stdout.sync = true
        thread = Thread.new { require "a" }
        sleep 0.1
        Process.wait(fork { p require("a"), Witness.features, $n })
        p thread.value, Witness.features
      RUBY
      }
    )
  end

  test "a child that ends with exit! and one that is a daemon's" do
    assert_same_behaviour({ "a.rb" => "A = 1\n", "main.rb" => <<~RUBY })
        $stdout.sync = true
        Process.wait(fork { require "a"; p Witness.features; exit!(5) })
        p $?.exitstatus, Process.waitall
        Process.wait(fork { Process.daemon(true, true); require "a"; puts :daemon })
        sleep 0.2
      RUBY
  end

  test "no child, no thread and no descriptor of ours can be seen" do
    assert_same_behaviour({ "a.rb" => "A = 1\n", "main.rb" => <<~RUBY })
        require "a"
        begin; Process.wait; rescue => error; p error.class; end
        p Thread.list.size, ThreadGroup::Default.list.size, ObjectSpace.each_object(IO).reject(&:closed?).map(&:fileno).sort
        trap(:CHLD) { puts :chld }
        at_exit { p Process.waitall }
      RUBY
  end

  test "a Ractor that requires" do
    assert_same_behaviour({ "a.rb" => "A = 1\n", "b.rb" => "B = 1\n", "main.rb" => <<~RUBY }, args: %w[-W0])
        p require("b")
        ractor = Ractor.new { begin; require "a"; rescue Exception => error; error.class.to_s; end }
        p (ractor.respond_to?(:value) ? ractor.value : ractor.take), Witness.features
      RUBY
  end

  test "Ractors that run while the main one requires" do
    assert_same_behaviour(
      {
        "a.rb" => "A = 1\n",
        "main.rb" =>
          "ractor = Ractor.new { 1000.times.sum }\np require('a'), (ractor.respond_to?(:value) ? ractor.value : ractor.take), Witness.features\n"
      },
      args: %w[-W0]
    )
  end

  test "exit handlers run in their order" do
    assert_same_behaviour(
      {
        "a.rb" => "at_exit { puts :a }\nEND { puts :a_end }\n",
        "main.rb" => "at_exit { puts :first; require 'b' }\nrequire 'a'\nat_exit { puts :last; exit 7 }\n",
        "b.rb" => "at_exit { puts :b }\n"
      },
      ends: "exit 7"
    )
  end

  test "require in an exit handler, in a finalizer, in a signal handler" do
    files = { "a.rb" => "puts :a\n", "b.rb" => "puts :b\n", "c.rb" => "puts :c\n" }
    plain = assert_same_behaviour({ **files, "main.rb" => <<~RUBY })
        trap(:USR1) { $heard = begin; require("a"); rescue ThreadError; $!.message; end }
        Process.kill(:USR1, $$)
        sleep 0.01 until $heard
        p $heard, require("a")
        at_exit { p require("b"), Witness.features }
        KEPT = Object.new # (so its finalizer runs at the very end)
        ObjectSpace.define_finalizer(KEPT, proc { p require("c") })
      RUBY

    assert_equal ["exit 0", "c\ntrue\n"], [plain.status, plain.stdout.lines.last(2).join], plain.stderr
  end

  test "a thread that ends while a fiber of it is in the middle of a file" do
    assert_same_behaviour(
      { "a.rb" => "$count = $count.to_i + 1\nFiber.yield if $count == 1 && $yield\nA = 1\n", "main.rb" => <<~RUBY },
        $yield = true
        Thread.new { Fiber.new { require "a" }.resume }.join
        GC.start
        p Thread.new { require "a" }.value, defined?(A), $count, Witness.features
      RUBY
      misses: :any
    )
  end

  test "a child of fork whose parent's threads were in the middle of files" do
    assert_same_behaviour({ "a.rb" => "sleep\n", "b.rb" => "B = 1\n", "main.rb" => <<~RUBY }, misses: :any)
        Thread.new { require "a" }
        sleep 0.1
        pid = fork do
          threads = 20.times.map { Thread.new { Array.new(1000) { rand }; sleep 0.05 } }
          p require("b"), $LOADED_FEATURES.size.positive?
          autoload :Missing, "missing"
          threads.each(&:join)
          autoload :Other, "other"
          p B
          exit!
        end
        Process.wait(pid)
        p $?.success?
      RUBY
  end

  test "a Warning.warn that lets others finish while one waits" do
    assert_same_behaviour({ "a.rb" => "sleep 0.1; A = 1\n", "main.rb" => <<~RUBY })
        def Warning.warn(*) = sleep(0.3)
        $VERBOSE = true
        p 8.times.map { Thread.new { require "a" } }.map(&:value).count(true)
        p Array.new(1000) { "x" * 80 }.size, require("a")
      RUBY
  end
end
