# frozen_string_literal: true

require_relative "test_helper"

# What the first boot recorded is written, however the process ends or lives on: fork, exec, exit handlers, idleness.
class LeavingProcessesTest < TestCase
  FILES = { "a.rb" => "A = 1\n", "b.rb" => "B = 1\n", "c.rb" => "C = 1\n" }.freeze

  # Beyond this a boot counts as idle, and the thread has looked.
  IDLE = 2.5

  # What a boot of the same files hits; the program above may end in odd ways.
  def recorded(program)
    program.write("main.rb", "require 'a'; require 'b'; require 'c'\n")
    program.boot(env: { "WARMSTART_READONLY" => "1" }).hits
  end

  def leaving(main, files = {}, **options) = program(FILES.merge(files, "main.rb" => main), **options)

  test "a parent that only waits for its children writes; a child does not" do
    program = leaving(<<~RUBY)
      require "a"
      Process.wait(fork { require "b"; sleep #{IDLE}; Process.kill(:KILL, Process.ppid) })
    RUBY
    assert_equal "signal KILL", program.boot.status
    assert_equal %w[a.rb], recorded(program)
  end

  test "children write nothing, neither when they are idle nor when they end nor when they exec" do
    program = leaving(<<~RUBY)
      require "a"
      2.times do |i|
        fork do
          require "b"
          sleep #{IDLE} if i == 0
          exec("true") if i == 1
        end
      end
      exit!(0)
    RUBY
    assert_equal "exit 0", program.boot.status
    sleep IDLE + 0.5
    assert_empty program.manifests + program.segments
  end

  test "several workers, forked one after the other while the parent goes on loading" do
    program = leaving(<<~RUBY)
      workers = %w[a b c].map do |name|
        require name
        fork { sleep #{IDLE}; exit!(0) }
      end
      workers.each { |pid| Process.wait(pid) }
      Process.kill(:KILL, $$)
    RUBY
    assert_equal "signal KILL", program.boot.status
    assert_equal %w[a.rb b.rb c.rb], recorded(program)
  end

  EXECS = { "exec" => "exec", "Kernel.exec" => "Kernel.exec", "Process.exec" => "Process.exec",
            "a method object" => "method(:exec).to_proc.", "super in a method of one's own" => "def exec(*) = super\nexec" }.freeze

  EXECS.each do |name, call|
    test "#{name} writes before it replaces the program" do
      program = leaving("require 'a'\nrequire 'b'\n#{call}('echo', 'replaced')\n")
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
    plain = assert_same_behaviour({
      "a.rb" => "A = 1\n", "script.rb" => "p ENV['X'], $stdin.fileno, Dir.pwd, ARGV.last, Process.pid.to_s == ARGV[0]\n",
      "main.rb" => <<~'RUBY'
        $stdout.sync = true
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
    }, variants: %i[recording warm])
    assert_includes plain.stdout, "two words"
  end

  test "exec that fails, and the program goes on: both halves are written" do
    program = leaving("require 'a'\nbegin; exec('/nope'); rescue SystemCallError; end\nrequire 'b'\n")
    program.boot
    assert_equal %w[a.rb b.rb], recorded(program)
  end

  test "signals and Thread#raise are heard while exec waits for what is written" do
    program = leaving(<<~RUBY, env: { "WARMSTART_TRAINING" => "1" })
      $stdout.sync = true
      require "a"
      main = Thread.current
      Thread.new { sleep 0.5; main.raise("enough") }
      began = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      begin; exec("true"); rescue => error; puts error.message, error.backtrace.reject { |line| line.include?("thread") }; end
      puts Process.clock_gettime(Process::CLOCK_MONOTONIC) - began < 3
      exit!
    RUBY
    holding_lock(program) do |_release|
      assert_equal "enough\n#{program.path("main.rb")}:6:in #{exec_label}\n#{program.path("main.rb")}:6:in #{quote}<main>'\ntrue\n", program.boot.stdout
    end
  end

  test "the end of a program waits for what the idle thread has begun to write" do
    program = leaving("require 'a'\nsleep #{IDLE}\n", env: { "WARMSTART_TRAINING" => "1" })
    holding_lock(program) do |release|
      waiting = Thread.new { sleep IDLE + 1; release.call }
      program.boot
      waiting.join
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
    { "Process.kill(:TERM, $$); sleep" => %w[a.rb], "raise 'x'" => %w[a.rb], "abort" => %w[a.rb], "exit!" => [] }.each do |ending, files|
      program = leaving("require 'a'\n#{ending}\n")
      program.boot
      assert_equal files, recorded(program), ending
    end
  end

  # Shorter than the wait for what is being written (10 s), and longer than any start.
  AT_ONCE = 8

  # Whoever starts the tests in the background may have signals ignored, and a program that begins so keeps it so.
  HEARING = system("env", "--default-signal=INT,HUP", "true", err: File::NULL) ? %w[env --default-signal=INT,HUP] : []

  # Does something to the main thread as soon as that waits in its last exit handler for the image to be written.
  def at_the_end(action, **options)
    leaving(<<~RUBY, env: { "WARMSTART_TRAINING" => "1" }, **options)
      $stdout.sync = true
      require "a"
      main = Thread.current
      File.exist?("act") && Thread.new do
        sleep 0.01 until main.backtrace.to_a.first.to_s.match?(/in [`'].*wait'/) && main.backtrace.any? { |line| line.include?("session.rb") }
        #{action}
        sleep
      end
    RUBY
  end

  # (Ruby tells of an exception in an exit handler, whoever sent it.)
  ENDINGS = {
    "Process.kill(:TERM, $$)" => ["signal TERM", ""], "Process.kill(:HUP, $$)" => ["signal HUP", ""], "Process.kill(:INT, $$)" => ["signal INT", /Interrupt/],
    "main.raise('enough')" => ["exit 1", /enough \(RuntimeError\)/], "main.raise(Interrupt)" => ["signal INT", /Interrupt/], "main.raise(SystemExit.new(7))" => ["exit 7", ""],
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
      assert_empty program.boot(env: { "WARMSTART_READONLY" => "1" }, arguments: [], timeout: 30).complaints unless action.empty?
    end
  end

  test "at the end, while the image is written, a signal's handler that only notes the signal changes nothing: all is written" do
    program = at_the_end("trap(:TERM) { puts 'heard'; $heard = true }; Process.kill(:TERM, $$); sleep 0.01 until $heard; File.write('heard', '')")
    holding_lock(program) do |release|
      program.write("act", "")
      Thread.new { sleep 0.01 until File.exist?(program.path("heard")); release.call }
      assert_equal ["heard\n", "exit 0", ""], program.boot(timeout: AT_ONCE).to_h.values_at(:stdout, :status, :stderr)
    end
    assert_equal %w[a.rb], recorded(program)
  end

  test "a signal at the end is heard once: files that older exit handlers require afterwards are not waited for" do
    program = at_the_end("Process.kill(:TERM, $$)")
    program.write("first.rb", "at_exit { require 'b' }\n")
    holding_lock(program) do |_release|
      program.write("act", "")
      assert_equal "signal TERM", program.plain(args: ["-r", program.path("first.rb"), "-r", Program::SETUP], timeout: AT_ONCE).status
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
      sleep 0.02 until (waiter = File.read("/proc/locks")[/-> FLOCK .* (\d+) \h+:\h+:#{File.stat(lock(program)).ino} /, 1]) || !ended.alive?
      Process.kill(:TERM, waiter.to_i) if waiter
      assert waiter, "nobody waits for the lock"
      assert_equal "exit 0", ended.value.status
    end
  end

  private

  def lock(program) = Dir[File.join(program.cache, "*", "lock")].first

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
