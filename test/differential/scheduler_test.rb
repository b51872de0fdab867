# frozen_string_literal: true

require_relative "../test_helper"

# Requires in non-blocking fibers under a fiber scheduler: a file that sleeps or waits at its top level lets other
# fibers run, which may ask for the same file.
class SchedulerTest < TestCase
  SCHEDULER = <<~RUBY
    # As small as one can be: ready fibers, sleepers, who waits for an IO, who is blocked by a lock or a queue.
    class Scheduler
      def initialize = (@ready, @sleeping, @readable, @writable, @blocked, @lock, @pipe = [], {}, {}, {}, {}, Thread::Mutex.new, IO.pipe)
      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      def fiber(&block) = Fiber.new(blocking: false, &block).tap(&:resume)
      def fiber_interrupt(fiber, error) = (fiber.raise(error) if fiber.alive?)

      def kernel_sleep(seconds = nil)
        seconds ? block(:sleep, seconds) : Fiber.yield
        true
      end

      def io_wait(io, events, timeout = nil)
        @readable[io] = Fiber.current if events & IO::READABLE != 0
        @writable[io] = Fiber.current if events & IO::WRITABLE != 0
        Fiber.yield
        events
      end

      def block(_blocker, timeout = nil)
        fiber = Fiber.current
        timeout ? @sleeping[fiber] = now + timeout : @blocked[fiber] = true
        Fiber.yield
      ensure
        @sleeping.delete(fiber)
        @blocked.delete(fiber)
      end

      def unblock(_blocker, fiber)
        @lock.synchronize { @ready << fiber }
        @pipe[1].write_nonblock(".")
      end

      def close = run

      def run
        until [@sleeping, @readable, @writable, @blocked, @ready].all?(&:empty?)
          wake = @sleeping.values.min
          readable, writable = IO.select([*@readable.keys, @pipe[0]], @writable.keys, [], @ready.any? ? 0 : [[(wake || now + 5) - now, 0].max, 5].min)
          raise "nobody goes on" if @ready.empty? && !readable && !writable && !wake
          @pipe[0].read_nonblock(100) if readable&.delete(@pipe[0])
          resume(readable.to_a.map { |io| @readable.delete(io) } + writable.to_a.map { |io| @writable.delete(io) })
          resume(@lock.synchronize { @ready.slice!(0..) })
          due = @sleeping.select { |_, time| time <= now }.sort_by(&:last).map(&:first)
          resume(due.each { |fiber| @sleeping.delete(fiber) })
        end
      end

      def resume(fibers) = fibers.each { |fiber| fiber.resume if fiber&.alive? }
    end

    # Runs a block in a thread with a scheduler.
    def scheduled
      Thread.new do
        Thread.current.report_on_exception = false
        Fiber.set_scheduler(Scheduler.new)
        yield
      end.join
    rescue Exception => error
      p error.class, error.message, error.backtrace.size
    end

    def go(name, feature)
      Fiber.schedule do
        p [name, :asks, feature]
        p [name, require(feature)]
      rescue Exception => error
        p [name, error.class, error.message.lines.first, error.backtrace]
      end
    end
  RUBY

  def assert_same_schedule(files, main)
    assert_same_behaviour(
      {
        **files,
        "scheduler.rb" => SCHEDULER,
        "main.rb" => "require_relative 'scheduler'\n$stdout.sync = true\n#{main}\np Witness.features\n"
      },
      misses: :any
    )
  end

  test "several fibers ask for a file that sleeps" do
    assert_same_schedule(
      { "a.rb" => "p :a_begins\nsleep 0.05\nA = 1\np :a_ends\n" },
      "scheduled { 3.times { |i| go(i, 'a') } }\np A, require('a')"
    )
  end

  test "a file that sleeps and fails: who waited tries by himself" do
    assert_same_schedule(
      { "a.rb" => "p :a, $n = $n.to_i + 1\nsleep 0.03\nraise 'once' if $n < 3\nA = 1\n" },
      "scheduled { 4.times { |i| go(i, 'a') } }\np defined?(A)"
    )
  end

  test "files that sleep and require one another, also in a circle" do
    assert_same_schedule(
      {
        "a.rb" => "p :a\nsleep 0.3\np require('b')\nsleep 0.02\nA = 1\n",
        "b.rb" => "p :b\nsleep 0.03\np require_relative('c')\n",
        "c.rb" => "p :c\nsleep 0.01\np require('b'), require('./c')\n",
        "d.rb" => "p :d, require('c')\n"
      },
      "scheduled { go(0, 'a'); go(1, 'd'); go(2, 'a') }\n"
    )
  end

  test "a file that waits for an IO, a queue, a thread and another fiber" do
    assert_same_schedule(
      {
        "io.rb" => "r, w = IO.pipe\nThread.new { sleep 0.03; w.write('x'); w.close }\np r.read\n",
        "queue.rb" => "q = Thread::Queue.new\nThread.new { sleep 0.02; q << 1 }\np q.pop\n",
        "thread.rb" => "p Thread.new { sleep 0.02; require 'leaf' }.value\n",
        "leaf.rb" => "p :leaf\n",
        "fibers.rb" => "Fiber.schedule { sleep 0.01; p :inner, require('leaf') }\nsleep 0.3\np :fibers\n"
      },
      "%w[io queue thread fibers].each { |name| scheduled { 2.times { |i| go(i, name) } } }"
    )
  end

  test "autoload, load and require_relative of files that sleep" do
    assert_same_schedule(
      { "x.rb" => "p :x\nsleep 0.03\nclass X; end\np :x_ends\n", "y.rb" => "p :y\nsleep 0.02\n" },
      <<~RUBY
      autoload :X, "x"
      scheduled { 2.times { |i| Fiber.schedule { p [i, load("y.rb")] } }; 2.times { |i| Fiber.schedule { p [i, require_relative("y")] } } }
      scheduled { Fiber.schedule { p [0, X.name] }; Fiber.schedule { p [1, (X.name rescue $!.class)] }; Fiber.schedule { p [2, (require("x") rescue $!.class)] } }
      p defined?(X)
    RUBY
    )
  end

  test "a fiber whose file is interrupted, and a fiber of another thread that waits for it" do
    assert_same_schedule({ "a.rb" => "$n = $n.to_i + 1\nsleep($n == 1 ? 5 : 0.01)\nA = $n\n" }, <<~RUBY)
      require "timeout"
      other = nil
      scheduled do
        Fiber.schedule do
          other = Thread.new { Thread.pass until $n; require("a") }
          main = Thread.current
          Thread.new { Thread.pass until $n; sleep 0.02; main.raise(IOError, "interrupted") }
          p require("a")
        rescue IOError => error
          p error.class
        end
      end
      p other.value
      p A
    RUBY
  end
end
