# frozen_string_literal: true

require_relative "test_helper"

# What the first boot records, whatever threads and fibers do meanwhile.
class RecordingTest < TestCase
  COUNT = 200

  # Files large enough that reading one gives other threads a turn.
  def many_files
    COUNT.times.to_h do |i|
      ["f#{i}.rb", "module F#{i}\n#{"  def self.m#{i} = [1, 2, 3].sum # #{"x" * 60}\n" * 300}end\n"]
    end
  end

  # The second boot's hits; stderr must be silent in both.
  def hits_of_second_boot(program)
    2.times.map { program.boot }.each { |run| assert_equal ["exit 0", ""], [run.status, run.stderr] }.last.hits
  end

  # The hits of the second boot, or of a later one: a file whose compilation begins while another thread begins to listen
  # for warnings would not be heard, so it waits for the next boot (ruby/recorder/warnings.c: ws_warnings_begin).
  def hits_of_later_boot(program)
    hits = hits_of_second_boot(program)
    5.times { hits.size < COUNT ? hits = program.boot.hits : break }
    hits
  end

  test "what the commits did is told; a commit that went well has no error" do
    program =
      program(
        { "a.rb" => "A = 1\n", "b.rb" => "$b = 1\n", "main.rb" => <<~'RUBY' },
      def report
        Warmstart.session.send(:request_commit)
        Warmstart::Native.wait(10_000)
        p Warmstart::Native.commit_result.values_at(:commits, :written, :failed, :entries, :error)
      end
      require "a"
      report
      folder = Warmstart.session.directory
      File.chmod(0o500, folder)
      require "b"
      report
      File.chmod(0o700, folder)
      load "#{__dir__}/b.rb"
      report
    RUBY
        args: %w[--disable-gems],
        witness: false
      )

    program.as_nobody
    assert_equal ["[1, 1, 0, 1, nil]", "[2, 1, 1, 1, :system]", "[3, 2, 1, 2, nil]"],
                 program.boot.stdout.lines(chomp: true)
  end

  test "the binaries that were recorded are no garbage" do
    program = program(many_files.merge("main.rb" => <<~'RUBY'), args: %w[--disable-gems], witness: false)
      require "objspace"
      GC.disable
      strings = -> { ObjectSpace.count_objects_size[:T_STRING] }
      before = strings.call
      200.times { |i| require "f#{i}" }
      p strings.call - before, (Warmstart::Native.recorded_size if defined?(Warmstart))
    RUBY
    plain, ours = [program.plain, program.boot].map { |run| run.stdout.split.map(&:to_i) }
    assert_operator ours[1], :>, 1 << 20
    assert_operator ours[0] - plain[0], :<, ours[1] / 10
  end

  test "a damaged image is replaced by the first commit, and the second adds to that" do
    program =
      program(
        {
          "a.rb" => "A = 1\n",
          "b.rb" => "B = 1\n",
          "main.rb" => "require 'a'; Warmstart.boot_complete!; Warmstart::Native.wait(9_000); require 'b'\n"
        }
      )
    program.boot
    program.manifests.each { |path| File.binwrite(path, "junk" * 100) }
    assert_empty program.boot.complaints
    assert_equal %w[a.rb b.rb], program.boot.hits
  end

  test "every file that four threads require at once" do
    files = many_files
    program = program(files.merge("main.rb" => <<~RUBY))
      4.times.map { |t| Thread.new { #{COUNT}.times { |i| require "f\#{i}" if i % 4 == t } } }.each(&:join)
      p Object.constants.grep(/\\AF\\d+\\z/).size
    RUBY
    assert_equal files.keys.sort, hits_of_later_boot(program)
  end

  test "every file that four threads load by autoload, by load and by require_relative" do
    files = many_files
    program = program(files.merge("main.rb" => <<~'RUBY'))
      200.times { |i| autoload :"F#{i}", "f#{i}" if i % 4 == 0 }
      4.times.map do |t|
        Thread.new do
          200.times do |i|
            case i % 4
            when t then [-> { Object.const_get("F#{i}") }, -> { load "#{__dir__}/f#{i}.rb" }, -> { require_relative "f#{i}" }, -> { require "f#{i}" }][t].call
            end
          end
        end
      end.each(&:join)
    RUBY
    assert_equal files.keys.sort, hits_of_later_boot(program)
  end

  # While a file is being compiled, a module of ours on Warning's singleton class has the method `warn`, and a
  # TracePoint is on. (No event tells that a thread is killed (3.1), that a file has an unknown encoding, or what
  # happens inside the parser (both before Prism): then the next require of the fiber cleans up.)
  LISTENS = <<~RUBY
    def quiet? = [Warning.singleton_class, Warning].include?(Warning.method(:warn).owner)
    def quiet_soon? = (require("thread"); quiet?)
  RUBY

  # misses: of the warm boot.
  def assert_given_up(files, misses: [], **options)
    plain =
      assert_same_behaviour(
        files.merge("main.rb" => "#{LISTENS}#{files["main.rb"]}"),
        misses: misses,
        variants: %i[recording warm],
        **options
      )
    refute_match(/false/, plain.stdout)
  end

  test "a compilation that ends with an error leaves nothing behind" do
    assert_given_up(
      {
        "bad.rb" => "def x(\n",
        "odd.rb" => "# coding: nonsense\nx\n",
        "good.rb" => "p quiet?\n",
        "main.rb" => <<~'RUBY'
        %w[bad odd].each do |name|
          [-> { load "#{__dir__}/#{name}.rb" }, -> { require_relative name }, -> { require name }].each do |way|
            begin; way.call; rescue ScriptError, ArgumentError => error; p error.class; end
            p name == "bad" ? quiet? : quiet_soon?
          end
        end
        p require("good"), quiet?
      RUBY
      },
      misses: %w[bad.rb odd.rb]
    )
  end

  test "a file that vanishes before Ruby opens it leaves nothing behind" do
    program = program({ "gone.rb" => "GONE = 1\n", "good.rb" => "p quiet?\n", "main.rb" => LISTENS + <<~'RUBY' })
        Warmstart.instrumentation = ->(event, path) { File.unlink(path) if path.end_with?("gone.rb") }
        begin; load "#{__dir__}/gone.rb"; rescue LoadError, Errno::ENOENT; puts "gone"; end
        p quiet?, require("good"), quiet?
      RUBY

    assert_equal ["gone\ntrue\ntrue\ntrue\ntrue\n", ""], program.boot.then { |run| [run.stdout, run.stderr] }
  end

  # Ruby reads a named pipe as it reads a file: whoever requires it waits in the middle of the load for what is written.
  PIPE = <<~'RUBY'
    pipe = "#{__dir__}/pipe.rb"
    File.mkfifo(pipe)
    WAYS = { require: -> { require "pipe" }, load: -> { load pipe }, require_relative: -> { require_relative "pipe" } }
    def stopped(thread) = (Thread.pass until thread.stop?; sleep 0.02; thread)
  RUBY

  test "Thread#kill, Thread#raise and Timeout in the middle of a file that is being read" do
    assert_given_up(
      { "good.rb" => "GOOD = quiet?\n", "other.rb" => "OTHER = 1\n", "main.rb" => PIPE + <<~RUBY },
        require "timeout"
        WAYS.each do |name, way|
          thread = stopped(Thread.new { way.call })
          p [name, thread.kill.join(5).class, quiet_soon?]
          thread = stopped(Thread.new { begin; way.call; rescue RuntimeError => error; error.message; end })
          thread.raise("enough")
          p [name, thread.value, quiet?]
          begin; Timeout.timeout(0.05) { way.call }; rescue Timeout::Error => error; p error.class, quiet?; end
        end
        p require("good"), GOOD, quiet?, Witness.features
        File.unlink(pipe)
      RUBY
      misses: %w[pipe.rb]
    )
  end

  test "Thread#kill, Thread#raise, Timeout and throw in the middle of a file that is being parsed" do
    assert_given_up(
      {
        "noisy.rb" => "def f\n  unused = 1\nend\nNOISY = 1 unless defined?(NOISY)\n",
        "good.rb" => "GOOD = quiet?\n",
        "main.rb" => <<~'RUBY'
        require "timeout"
        WAYS = { require: -> { require "noisy" }, load: -> { load "#{__dir__}/noisy.rb" }, require_relative: -> { require_relative "noisy" } }
        def stopped(thread) = (Thread.pass until thread.stop?; thread)
        def Warning.warn(message) = ($hear ||= -> { sleep }).call
        WAYS.each do |name, way|
          p [name, stopped(Thread.new { way.call }).kill.join(5).class, quiet_soon?]
          thread = stopped(Thread.new { begin; way.call; rescue RuntimeError => error; error.message; end })
          thread.raise("enough")
          p [name, thread.value, quiet?]
          begin; Timeout.timeout(0.05) { way.call }; rescue Timeout::Error => error; p error.class, quiet_soon?; end
          $hear = -> { throw :out, 7 }
          p catch(:out) { way.call }, quiet_soon?
          $hear = -> { raise "no" }
          begin; way.call; rescue RuntimeError => error; p error.message, quiet_soon?; end
          $hear = nil
        end
        p defined?(NOISY), Witness.features
        $hear = -> { begin; raise "rescued"; rescue; puts :heard; end }
        p require("noisy"), NOISY, require("good"), GOOD, quiet?, Witness.features
      RUBY
      },
      misses: %w[noisy.rb],
      args: %w[-w]
    )
  end

  test "other files are recorded while one is being read" do
    files = { "good.rb" => "GOOD = 1\n", "other.rb" => "OTHER = 1\n" }
    assert_given_up(files.merge("main.rb" => PIPE + <<~'RUBY'), misses: %w[pipe.rb])
      reader = stopped(Thread.new { require "pipe" })
      p require("good"), Fiber.new { require "other" }.resume
      File.write(pipe, "PIPE = 1\n")
      p reader.value, PIPE, quiet?, Witness.features
      File.unlink(pipe)
    RUBY
  end

  test "a fork while another thread is reading a file" do
    assert_given_up(
      { "good.rb" => "GOOD = 1\n", "later.rb" => "LATER = 1\n", "main.rb" => PIPE + <<~RUBY },
        reader = stopped(Thread.new { require "pipe" })
        $stdout.sync = true
        Process.wait(fork { p require("good"), quiet? })
        p require("later"), reader.kill.join(5).class, quiet_soon?
        File.unlink(pipe)
      RUBY
      misses: %w[good.rb pipe.rb]
    )
  end

  test "a warning spoils the file that is being compiled, not its neighbours" do
    noisy = "def f\n  unused = 1\nend\n" * 3
    program = program({ "noisy.rb" => noisy, "silent.rb" => "SILENT = 1\n", "main.rb" => <<~RUBY }, args: %w[-w])
        def Warning.warn(message, category: nil)
          Thread.new { require "silent" }.join if message.include?("noisy")
          super
        end
        require "noisy"
      RUBY

    plain = program.plain
    2.times { assert_same_run plain, program.boot }
    assert_equal %w[silent.rb], program.boot.hits
  end

  test "Warning.warn is redefined while another thread compiles" do
    assert_same_behaviour(
      { "noisy.rb" => "def f\n  unused = 1\nend\ncase [0, 1]; in [*, 1, *]; end\n", "main.rb" => PIPE + <<~'RUBY' },
        reader = stopped(Thread.new { require "pipe" })
        def Warning.warn(message) = print("heard #{message}")
        require "noisy"
        warn "x", category: :experimental
        File.write(pipe, "PIPE = 1\n")
        p reader.value
        File.unlink(pipe)
      RUBY
      args: %w[-w],
      misses: %w[noisy.rb pipe.rb],
      variants: %i[recording warm]
    )
  end
end
