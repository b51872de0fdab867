# frozen_string_literal: true

require "digest"
require "fileutils"
require "open3"
require "rbconfig"
require_relative "program"

# A clock for programs under test: warmstart.so sees time pass only when a test, or the program itself, says so
# (clock.c), so nothing in it happens because a machine is slow. On Linux only. Elsewhere, and without a compiler, the
# programs see the real time, and `pass` waits.
class Clock
  SOURCE = File.join(__dir__, "clock.c")
  FIELDS = %i[passed worked stat_cost stat_delay sleeps].freeze # (struct test_clock)

  # Builds the library if this version of it does not exist yet. nil: it cannot be built here.
  def self.library
    return @library if defined?(@library)

    path = File.join(Program::REPOSITORY, "tmp/clock/clock-#{Digest::MD5.file(SOURCE).hexdigest[0, 12]}.so")
    @library = RUBY_PLATFORM.include?("linux") && (File.exist?(path) || build(path)) ? path : nil
  end

  def self.build(path)
    FileUtils.mkdir_p(File.dirname(path))
    draft = "#{path}.#{Process.pid}"
    output, status =
      Open3.capture2e(
        *RbConfig::CONFIG["CC"].split,
        "-shared",
        "-fPIC",
        "-O1",
        "-Wall",
        "-Wextra",
        "-o",
        draft,
        SOURCE,
        "-ldl"
      )
    raise "cannot build #{SOURCE}: #{output.lines.first}" unless status.success? && output.empty?

    File.rename(draft, path)
  rescue Errno::ENOENT
    nil # (there is no compiler)
  end
  private_class_method :build

  def self.available? = !library.nil?

  # Code for a program that has such a clock in its environment:
  #
  # - pass(1.5, working: 0.2): a second and a half pass; during a fifth of a second the program has used a processor
  # - next_look: returns when the governor's thread, if there is one, has gone round since the call, so that the
  #   program's thread has looked at its memory
  # - wait_for(seconds) { ... }: waits until the block's value is true. false: that was not in time. So long a time is
  #   no proof of anything: where it ends a test has failed.
  IN_PROGRAM = <<~RUBY
    module TestClock
      FILE = ENV["TEST_CLOCK"]

      def self.field(index) = File.binread(FILE, 8, 8 * index).unpack1("q")
      def self.add(index, nanoseconds) = File.binwrite(FILE, [field(index) + nanoseconds].pack("q"), 8 * index)
      def self.sleeps = field(#{FIELDS.index(:sleeps)})

      def self.spin(seconds)
        until_used = used + seconds
        1000.times { nil } while used < until_used # (no garbage: a collection would be another reason to end)
      end

      # (Not clock_gettime: Ruby for Windows knows no such clock.)
      def self.used = Process.times.then { |times| times.utime + times.stime }
    end

    def pass(seconds, working: 0)
      return TestClock.spin(working) || sleep([seconds - working, 0].max) unless TestClock::FILE
      TestClock.add(#{FIELDS.index(:worked)}, (working * 1e9).to_i)
      TestClock.add(#{FIELDS.index(:passed)}, (seconds * 1e9).to_i)
    end

    def wait_for(seconds = #{Program.patience(60)})
      deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds
      until (value = yield)
        return false if Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
        sleep 0.0005
      end
      value
    end

    def next_look
      return unless defined?(Warmstart) && Warmstart::Native.governing?
      return sleep(0.02) unless TestClock::FILE
      # A round may be in progress. The next one may find that files were required meanwhile, and leave the look to the
      # next require. The one after that asks for a look.
      begun = TestClock.sleeps
      seen = wait_for { TestClock.sleeps >= begun + 3 || !Warmstart::Native.governing? }
      abort "the governor's thread does not go round" unless seen
      Object.new # (Before Ruby 3.3 it is the next new object that asks for the look.)
      nil
    end
  RUBY

  # path: a file that is shared with the programs
  def initialize(path)
    @path = path
    File.binwrite(path, "\0" * 8 * FIELDS.size)
    File.chmod(0o666, path)
  end

  # Variables of the programs whose clock this is.
  def environment = self.class.available? ? { "LD_PRELOAD" => self.class.library, "TEST_CLOCK" => @path } : {}

  # Each call for metadata that warmstart.so makes takes `cost` seconds by this clock, and really lasts `delay` seconds
  # longer than usual.
  def slow_down(cost, delay: 0)
    { stat_cost: cost, stat_delay: delay }.each { |field, seconds| write(field, (seconds * 1e9).to_i) }
  end

  # So many seconds pass in the programs.
  def pass(seconds)
    self.class.available? ? write(:passed, read(:passed) + (seconds * 1e9).to_i) : sleep(seconds)
  end

  private

  def read(field) = File.binread(@path, 8, 8 * FIELDS.index(field)).unpack1("q")

  def write(field, value) = File.binwrite(@path, [value].pack("q"), 8 * FIELDS.index(field))
end
