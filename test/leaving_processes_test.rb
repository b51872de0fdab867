# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/clock"

# What the first boot recorded is written, however the process ends or lives on: fork, exec, exit handlers, idleness.
# No time passes for Warmstart but what a program says (support/clock.rb): nothing is idle by chance, and Warmstart, which
# waits 10 seconds at the most for what is written, waits for ever.
class LeavingProcessesTest < TestCase
  FILES = { "a.rb" => "A = 1\n", "b.rb" => "B = 1\n", "c.rb" => "C = 1\n" }.freeze

  # Seconds. A boot that has recorded nothing for a second counts as idle.
  IDLE = 1.1

  # Methods of the programs.
  TOOLS = Clock::IN_PROGRAM + <<~RUBY
    def idle = pass(#{IDLE})
    def written? = Dir[File.join(ENV.fetch("WARMSTART_CACHE_DIR"), "*", "*.manifest")].any?
    def wait_until_written = wait_for { written? } || abort("nothing is written")
    def note(name) = File.write(File.join(__dir__, name), "")
    def noted?(name) = File.exist?(File.join(__dir__, name))
    # The main thread waits in its last exit handler for the image to be written.
    def ending?(main)
      main.backtrace.to_a.first.to_s.match?(/in [`'].*wait'/) && main.backtrace.any? { |line| line.include?("session.rb") }
    end
  RUBY

  # What a boot of the same files hits; the program above may end in odd ways.
  def recorded(program)
    program.write("main.rb", "require 'a'; require 'b'; require 'c'\n")
    program.boot(env: { "WARMSTART_READONLY" => "1" }).hits
  end

  def leaving(main, files = {}, env: {}, **options)
    environment = { **clock.environment, **env }
    program(FILES.merge("tools.rb" => TOOLS, **files, "main.rb" => main), env: environment, **options)
  end

  def clock = @clock ||= Clock.new(File.join(temporary_folder, "clock"))

  # A file is not recorded if it may have changed since the program began, and that is longer ago by a clock of our own
  # than it is by the file system's.
  def idling(...) = timed(...).tap { sleep IDLE }

  # The same, for programs that use TOOLS.
  def timed(main, files = {}, **options) = leaving("load File.join(__dir__, 'tools.rb')\n#{main}", files, **options)

  test "a parent that only waits for its children writes; a child does not" do
    program = idling(<<~RUBY)
      require "a"
      Process.wait(fork { require "b"; idle; wait_until_written; Process.kill(:KILL, Process.ppid) })
    RUBY
    assert_equal "signal KILL", program.boot.status
    assert_equal %w[a.rb], recorded(program)
  end

  test "children write nothing, neither when they are idle nor when they end nor when they exec" do
    # (A thread that records looks every 200 ms whether the boot is idle.)
    # The parent would write, too, so it has to be gone.
    program = idling(<<~RUBY)
      require "a"
      parent = $$
      2.times do |i|
        fork do
          require "b"
          wait_for { Process.ppid != parent } if i == 0
          idle && wait_for(1) { written? } if i == 0
          puts "idle" if i == 0
          exec("echo", "executed") if i == 1
        end
      end
      exit!(0)
    RUBY
    run = program.boot # (is over when the children, which have its output, have ended)
    assert_equal [%w[executed idle], "exit 0"], [run.stdout.split.sort, run.status]
    assert_empty program.manifests + program.segments
  end

  test "several workers, forked one after the other while the parent goes on loading" do
    program = idling(<<~RUBY)
      workers = %w[a b c].map do |name|
        require name
        fork { wait_until_written; exit!(0) }
      end
      idle
      workers.each { |pid| Process.wait(pid) }
      Process.kill(:KILL, $$)
    RUBY
    assert_equal "signal KILL", program.boot.status
    assert_equal %w[a.rb b.rb c.rb], recorded(program)
  end

  EXECS = {
    "exec" => "exec",
    "Kernel.exec" => "Kernel.exec",
    "Process.exec" => "Process.exec",
    "a method object" => "method(:exec).to_proc.",
    "super in a method of one's own" => "def exec(*) = super\nexec"
  }.freeze

  SAYS = Program::WINDOWS ? [RbConfig.ruby, "--disable-gems", "-e", "puts 'replaced'"] : %w[echo replaced] # (there is no echo)

  EXECS.each do |name, call|
    test "#{name} writes before it replaces the program" do
      program = leaving("require 'a'\nrequire 'b'\n#{call}(*#{SAYS})\n")
      run = program.boot
      assert_equal ["replaced\n", "", "exit 0"], [run.stdout, run.stderr, run.status]
      assert_equal %w[a.rb b.rb], recorded(program)
    end
  end

  test "exec from an exit handler, and from another thread" do
    ["at_exit { exec('true') }\nrequire 'a'\n", "require 'a'\nThread.new { exec('true') }.join\n"].each do |main|
      program = leaving(main)
      program.boot
      assert_equal %w[a.rb], recorded(program), main
    end
  end

  test "exec after a commit has nothing to write, nothing to wait for" do
    program = leaving("require 'a'\nWarmstart.boot_complete!\nrequire 'b'\nexec('true')\n")
    program.boot
    assert_equal %w[a.rb b.rb], recorded(program)
    assert_equal "exit 0", program.boot.status
  end

  test "exec shows what it shows in plain Ruby" do
    plain =
      assert_same_behaviour(
        {
          "a.rb" => "A = 1\n",
          "script.rb" => "p ENV['X'], $stdin.fileno, Dir.pwd, ARGV.last, Process.pid.to_s == ARGV[0]\n",
          "main.rb" => <<~'RUBY'
        $stdout.sync = true
        require "rbconfig"
        require "a"
        ways = { exec: method(:exec), kernel: Kernel.method(:exec), process: Process.method(:exec) }
        ways.each do |name, method|
          p [name, method.owner, method.arity, method.parameters, method.original_name, method.name, method.source_location]
          [["/nope/nope"], ["nope-nope"], ["/nope nope"], [], [nil], [1], ["a\0b"], [""], [["a"]], ["true", { nope: 1 }], [{ "X" => 1 }, "true"], ["/"]].each do |arguments|
            begin; method.call(*arguments); rescue SystemCallError, ArgumentError, TypeError => error; puts error.class, error.message, error.backtrace; end
          end
        end
        begin; exec("/nope"); rescue Errno::ENOENT => error; puts error.message, error.backtrace; p $!.equal?(error); end
        def wrapped = Process.exec("/nope", close_others: true)
        begin; wrapped; rescue Errno::ENOENT => error; puts error.message, error.backtrace; end
        begin; "x".exec("true"); rescue NoMethodError => error; puts error.message; end
        p Process.respond_to?(:exec), Kernel.private_method_defined?(:exec), Kernel.respond_to?(:exec), Process.singleton_methods.include?(:exec), $!
        calls = []
        trace = TracePoint.new(:c_call, :c_return, :raise) { |tp| calls << [tp.event, tp.method_id] if tp.path == __FILE__ }
        trace.enable { begin; Kernel.exec("/nope"); rescue SystemCallError; end }
        p calls
        exec({ "X" => "y" }, RbConfig.ruby, "script.rb", Process.pid.to_s, "two words", chdir: __dir__, unsetenv_others: true, 3 => :close)
      RUBY
        },
        variants: %i[recording warm]
      )
    assert_includes plain.stdout, "two words", "#{plain.status}: #{plain.stderr}"
  end

  test "exec that fails, and the program goes on: both halves are written" do
    program = leaving("require 'a'\nbegin; exec('/nope'); rescue SystemCallError; end\nrequire 'b'\n")
    program.boot
    assert_equal %w[a.rb b.rb], recorded(program)
  end

  test "signals and Thread#raise are heard while exec waits for what is written" do
    # (Nobody else ends the wait, for the lock is held until the program has ended.)
    program = timed(<<~RUBY, env: { "WARMSTART_TRAINING" => "1" })
      $stdout.sync = true
      require "a"
      main = Thread.current
      executing = -> { main.stop? && main.backtrace.to_a.first.to_s.match?(/exec'/) }
      noted?("act") && Thread.new { wait_for(&executing); main.raise("enough") }
      begin; exec("true"); rescue => error; puts error.message, error.backtrace.reject { |line| line.include?("thread") }; end
      exit!(0)
    RUBY
    holding_lock(program) do |_release|
      program.write("act", "")
      place = "#{program.path("main.rb")}:7:in "
      run = program.boot(timeout: AT_ONCE)
      assert_equal ["enough\n#{place}#{exec_label}\n#{place}#{quote}<main>'\n", "exit 0"], [run.stdout, run.status]
    end
  end

  test "the end of a program waits for what the idle thread has begun to write" do
    program = idling(<<~RUBY, env: { "WARMSTART_TRAINING" => "1" })
      main = Thread.current
      exit if noted?("first")
      Thread.new { wait_for { ending?(main) }; note("ending"); sleep }
      require "a"
      idle
      wait_for { noted?("writing") }
    RUBY
    skip "needs /proc" unless File.exist?("/proc/locks")
    program.write("first", "")
    holding_lock(program) do |release|
      File.unlink(program.path("first"))
      ended = Thread.new { program.boot }
      wait_for(ended) { waiter(program) }
      program.write("writing", "")
      wait_for(ended) { File.exist?(program.path("ending")) }
      release.call
      assert_equal "exit 0", ended.value.status
    end
    assert_equal %w[a.rb], recorded(program)
  end

  test "files that exit handlers require are recorded" do
    program = leaving(<<~RUBY)
      at_exit { require "a"; at_exit { require "b" } }
      END { require "c" }
    RUBY
    program.boot
    assert_equal %w[a.rb b.rb c.rb], recorded(program)
  end

  test "files that handlers older than Warmstart's require are recorded" do
    program = leaving("require 'a'\n", { "first.rb" => "at_exit { require 'b'; sleep 0.1; require 'c' }\n" })
    program.plain(arguments: [], args: ["-r", program.path("first.rb"), "-r", Program::SETUP])
    assert_equal %w[a.rb b.rb c.rb], recorded(program)
  end

  test "a program that ends by a signal or an exception writes, one that ends by exit! does not" do
    {
      "Process.kill(:TERM, $$); sleep" => %w[a.rb],
      "raise 'x'" => %w[a.rb],
      "abort" => %w[a.rb],
      "exit!" => []
    }.each do |ending, files|
      program = leaving("require 'a'\n#{ending}\n")
      program.boot
      assert_equal files, recorded(program), ending
    end
  end

  # Where the time is real: shorter than the wait for what is being written (10 s), and longer than a start.
  AT_ONCE = Clock.available? ? Program::TIMEOUT : 8

  # Whoever starts the tests in the background may have signals ignored, and a program that begins so keeps it so.
  HEARING = system("env", "--default-signal=INT,HUP", "true", err: File::NULL) ? %w[env --default-signal=INT,HUP] : []

  # Does something to the main thread as soon as that waits in its last exit handler for the image to be written.
  def at_the_end(action, **options)
    timed(<<~RUBY, env: { "WARMSTART_TRAINING" => "1" }, **options)
      $stdout.sync = true
      require "a"
      main = Thread.current
      noted?("act") && Thread.new do
        wait_for { ending?(main) }
        #{action}
        sleep
      end
    RUBY
  end

  # (Ruby tells of an exception in an exit handler, whoever sent it.)
  ENDINGS = {
    "Process.kill(:TERM, $$)" => ["signal TERM", ""],
    "Process.kill(:HUP, $$)" => ["signal HUP", ""],
    "Process.kill(:INT, $$)" => ["signal INT", /Interrupt/],
    "main.raise('enough')" => ["exit 1", /enough \(RuntimeError\)/],
    "main.raise(Interrupt)" => ["signal INT", /Interrupt/],
    "main.raise(SystemExit.new(7))" => ["exit 7", ""],
    "trap(:TERM) { exit 5 }; Process.kill(:TERM, $$)" => ["exit 5", ""]
  }.freeze

  ENDINGS.each do |action, (status, words)|
    test "at the end, while the image is written: #{action} acts at once, and the image stays whole" do
      program = at_the_end(action)
      holding_lock(program) do |_release|
        program.write("act", "")
        run = program.boot(timeout: AT_ONCE, prefix: HEARING)
        assert_equal status, run.status, run.stderr
        words.is_a?(Regexp) ? assert_match(words, run.stderr) : assert_equal(words, run.stderr)
      end
      assert_empty program.boot(env: { "WARMSTART_READONLY" => "1" }, arguments: []).complaints unless action.empty?
    end
  end

  test "at the end, while the image is written, a signal's handler that only notes the signal changes nothing: all is written" do
    program =
      at_the_end(
        "trap(:TERM) { puts 'heard'; $heard = true }; Process.kill(:TERM, $$); sleep 0.01 until $heard; File.write('heard', '')"
      )
    holding_lock(program) do |release|
      program.write("act", "")
      ended = Thread.new { program.boot(timeout: AT_ONCE) }
      wait_for(ended) { File.exist?(program.path("heard")) }
      release.call
      assert_equal ["heard\n", "exit 0", ""], ended.value.to_h.values_at(:stdout, :status, :stderr)
    end
    assert_equal %w[a.rb], recorded(program)
  end

  test "a signal at the end is heard once: files that older exit handlers require afterwards are not waited for" do
    program = at_the_end("Process.kill(:TERM, $$)")
    program.write("first.rb", "at_exit { require 'b' }\n")
    holding_lock(program) do |_release|
      program.write("act", "")
      assert_equal "signal TERM",
                   program.plain(args: ["-r", program.path("first.rb"), "-r", Program::SETUP], timeout: AT_ONCE).status
    end
  end

  test "when Ruby is gone, and files of older exit handlers are written, a signal ends the wait" do
    skip "needs /proc" unless File.exist?("/proc/locks")
    program = leaving("", { "first.rb" => "at_exit { require 'b' }\n" }, env: { "WARMSTART_TRAINING" => "1" })
    options = ["-r", program.path("first.rb"), "-r", Program::SETUP]
    3.times { program.plain(args: options) }
    program.write("b.rb", "B = 22\n")
    holding_lock(program, cold: false) do |_release|
      ended = Thread.new { program.plain(args: options, timeout: AT_ONCE) }
      waiter = wait_for(ended) { waiter(program) }
      assert waiter, "nobody waits for the lock"
      # The wait looks every 50 ms, 200 times in all, whether a signal has come. It may not have begun when the first
      # one comes.
      150.times do
        break unless ended.alive?

        begin
          Process.kill(:TERM, waiter.to_i)
        rescue StandardError
          nil
        end
        clock.pass(0.06)
        ended.join(0.05)
      end
      assert_equal "exit 0", ended.value.status
    end
  end

  private

  def lock(program) = Dir[File.join(program.cache, "*", "lock")].first

  # The process that waits for the lock, or nil.
  def waiter(program) = File.read("/proc/locks")[/-> FLOCK .* (\d+) \h+:\h+:#{File.stat(lock(program)).ino} /, 1]

  # Waits until the block's value is true, which it returns, or until the program that the thread waits for has ended.
  def wait_for(ended)
    until (value = yield) || !ended.alive?
      sleep 0.01
    end
    value
  end

  def quote = Program::RUBY_NUMBER < "3.4" ? "`" : "'"
  def exec_label = Program::RUBY_NUMBER < "3.4" ? "`exec'" : "'Kernel#exec'"

  # Somebody else writes into the image's folder until `release` is called.
  def holding_lock(program, cold: true)
    program.boot
    path = lock(program)
    program.manifests.each { |manifest| File.unlink(manifest) } if cold
    File.open(path, "r+") do |file|
      file.flock(File::LOCK_EX)
      yield -> { file.flock(File::LOCK_UN) }
    end
  end
end
