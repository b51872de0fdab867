# frozen_string_literal: true

require_relative "test_helper"

# A server that has loaded all of its code is plain Ruby from then on: no method, thread, signal handler, descriptor or
# mapping of Warmstart's is left.
class PlainAgainTest < TestCase
  # Prints what a program can see of Ruby's own methods, and what the system knows of the process.
  LOOK = <<~'RUBY'
    METHODS = [Kernel, Module, Object, IO, File, Process, GC, Warning, RubyVM::InstructionSequence, Thread, ObjectSpace].flat_map { |owner| [owner, owner.singleton_class] }
    def look
      METHODS.each do |owner|
        names = owner.instance_methods(false) + owner.private_instance_methods(false)
        names.sort.each { |name| owner.instance_method(name).then { |method| puts [owner, name, method.owner, method.original_name, method.arity, method.source_location, owner.private_method_defined?(name), *foreign(method)].inspect } }
        puts owner.ancestors.inspect
      end
      puts method(:require).owner, RubyVM::InstructionSequence.respond_to?(:load_iseq), ObjectSpace.each_object(TracePoint).count(&:enabled?), GC.disable, GC.enable
      system_sees unless File::ALT_SEPARATOR
      require "later"
      puts $LOADED_FEATURES.grep(/later/), caller_locations(0).size, LATER
    end
    # (A thread that was joined may take a while to end. Two stay: the main one, and Ruby's timer.)
    def system_sees
      200.times { Dir.children("/proc/self/task").size > 2 ? sleep(0.01) : break }
      status = File.read("/proc/self/status")
      puts status[/^Threads:.*/], status[/^SigCgt:.*/], Dir.children("/proc/self/fd").size, File.readlines("/proc/self/maps").grep(/\.segment/).size
    end
    # What Warmstart replaces is Ruby's own function again.
    REPLACED = %i[require require_relative autoload exec open enable disable expand_path absolute_path _fork compile_option=]
    # (One that this system does not implement has none.)
    REPLACED.delete(:_fork) unless Process.respond_to?(:_fork)
    def foreign(method) = defined?(Warmstart::Native) && REPLACED.include?(method.name) && method.source_location.nil? && !Warmstart::Native.in_ruby?(method) ? "foreign" : nil
    def ready(all: true) = defined?(Warmstart) && Warmstart.session.application_ready(all: all)
    def begins = defined?(Warmstart) && Warmstart.session.server_begins
  RUBY

  FILES = {
    "look.rb" => LOOK,
    "later.rb" => "LATER = __LINE__\nAT = caller(0).size\n",
    "part.rb" => "PART = 1\n",
    "settings.yml" => "a: 1\n"
  }.freeze

  def setup
    super
    missing "there is no /proc" unless Program::WINDOWS || File.directory?("/proc/self/fd")
  end

  # @return [Program::Run] the last warm boot
  def assert_plain_again(main, **options)
    program = program({ **FILES, "main.rb" => "require 'look'\nrequire 'part'\n#{main}" }, witness: false, **options)
    plain = program.plain
    assert_equal "exit 0", plain.status, plain.stderr
    runs = Array.new(3) { program.boot }
    assert_equal [plain.stdout.lines.tally, plain.stderr], [runs.last.stdout.lines.tally, runs.last.stderr]
    runs.last
  end

  test "a server that serves in its own process" do
    assert_plain_again("ready\nbegins\nlook\n")
  end

  test "a server that forks workers, in these and in itself" do
    skip "there is no fork" unless Process.respond_to?(:fork)
    assert_plain_again(
      "ready\nWarmstart.session.fork_ready if defined?(Warmstart)\nProcess.wait(fork { look })\nlook\n"
    )
  end

  test "in the middle of a require, whose file is in the image, and in another thread's" do
    files = {
      "serve.rb" => "ready\nThread.new { require 'other' }.join\nlook\nAFTER = 1\n",
      "other.rb" => "begins\nOTHER = 1\n"
    }
    program =
      program(
        {
          **FILES,
          **files,
          "main.rb" => "require 'look'\nrequire 'serve'\nputs AFTER, OTHER, $LOADED_FEATURES.grep(/serve|other/)\n"
        },
        witness: false
      )
    plain = program.plain
    assert_equal "exit 0", plain.status, plain.stderr
    runs = Array.new(4) { program.boot }
    runs.each do |run|
      assert_equal [plain.stderr, plain.status, plain.stdout.lines.last],
                   [run.stderr, run.status, run.stdout.lines.last]
    end
    assert_equal plain.stdout, runs.last.stdout
  end

  # (A large file's code is read where it lies in the image.)
  LARGE = "LARGE = [(1..#{10**30}), #{(0...30_000).map { |i| ":symbol_#{i}" }.join(",")}].freeze\n".freeze

  # (The collector has not run since the file was loaded.)
  test "no String leads into the image that was left, or into memory that was given back" do
    main = "GC.disable\nrequire 'large'\nready\nbegins\nObjectSpace.each_object(String, &:hash)\nGC.enable\nlook\n"
    program = program({ **FILES, "large.rb" => LARGE, "main.rb" => "require 'look'\n#{main}" }, witness: false)
    plain = program.plain
    runs = Array.new(3) { program.boot }
    assert_equal [plain.stdout, plain.stderr, "exit 0"], runs.last.then { |run| [run.stdout, run.stderr, run.status] }
  end

  # (Ruby compares the ends of a range whose numbers are large: range.c, range_init.)
  test "while code is loaded from the image: it goes on, and the image stays" do
    main =
      "ready\nTracePoint.new(:c_call) { |call| begins if call.method_id == :<=> && ENV['NOW'] }.enable { require 'large' }\np LARGE.size\nrequire 'later'\n"
    program = program({ **FILES, "large.rb" => LARGE, "main.rb" => "require 'look'\n#{main}" }, witness: false)
    plain = program.plain
    runs = [{}, {}, { "NOW" => "1" }].map { |env| program.boot(env: env) }
    assert_equal [[plain.stdout, plain.stderr, "exit 0"]], runs.map { |run| [run.stdout, run.stderr, run.status] }.uniq
  end

  test "what is not loaded yet comes from the image" do
    program =
      program(
        { **FILES, "main.rb" => "require 'look'\nready all: false\nbegins\nrequire 'later'\n" },
        witness: false,
        env: {
          "WARMSTART_LOG" => "1"
        }
      )
    assert_includes Array.new(3) { program.boot }.last.stderr, "hit #{program.path("later.rb")}"
  end

  test "where code is still to be loaded, File's methods are Ruby's own when the boot is complete" do
    names = "%i[rename symlink link].map { |name| File.method(name).unbind }"
    program =
      program(
        {
          **FILES,
          "before.rb" => "BEFORE = #{names}\n",
          "main.rb" =>
            "same = -> { p #{names}.zip(BEFORE).map { |now, before| now == before } }\nsame[]\nWarmstart.boot_complete!\nsame[]\n"
        },
        witness: false
      )
    run = program.boot(args: %w[-r ./before])
    assert_equal "#{[false] * 3}\n#{[true] * 3}\n", run.stdout, run.stderr
  end

  test "what such a boot has taught is written at the end, and it writes no index" do
    program = program({ **FILES, "main.rb" => "require 'look'\nready\nbegins\nrequire 'later'\n" }, witness: false)
    3.times { program.boot }
    before = program.segments
    program.boot
    assert_equal before, program.segments
  end
end
