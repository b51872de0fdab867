# frozen_string_literal: true

require_relative "test_helper"
require "json"
require "io/wait"
require "pty"

# A command from a process that has booted it already: the same output, status and effects as the ordinary command, and
# never from a boot whose inputs have changed.
class StandbyTest < TestCase
  BUILD = "#{RUBY_ENGINE}-#{RUBY_VERSION[/\A\d+\.\d+/]}-#{RUBY_PLATFORM}"
  CLIENT = File.join(Program::REPOSITORY, "lib/warmstart/native", BUILD, "standby")

  MAIN = <<~RUBY
    #!/usr/bin/env ruby
    $LOAD_PATH.unshift File.join(__dir__, "lib")
    require "main"
    p ARGV, $0, $mine, __FILE__ == $0, Main::TEXT, ENV["PASSING"], ENV["OLDPWD"], $$ == Process.pid
    puts DATA.read
    $stderr.puts "error"
    p $stdin.read if ARGV.include?("read")
    at_exit { puts "at exit" }
    Process.kill(:TERM, $$) if ARGV.include?("killed")
    raise "failed" if ARGV.include?("raise")
    sleep if ARGV.include?("sleep") && File.exist?("wait")
    exit 7
    __END__
    data
  RUBY
  LIBRARY = <<~RUBY
    require "json"
    require "set"
    ENV["SET_BY_BOOT"] = "1"
    module Main
      TEXT = File.read(File.join(__dir__, "text.txt")) + (File.exist?(File.join(__dir__, "absent.txt")) ? "there" : "not there")
    end
  RUBY

  def setup
    skip "there is no client but on Linux" unless File.executable?(CLIENT)
    @folder = File.realpath(temporary_folder)
    FileUtils.mkdir(File.join(@folder, "run"), mode: 0o700)
    write("main", MAIN, 0o755)
    write("lib/main.rb", LIBRARY)
    write("lib/text.txt", "one\n")
    sleep 0.03 # (a file that was changed just before it is read makes no standby)
  end

  def teardown
    system(environment, CLIENT, "--stop", out: File::NULL) if @folder
  end

  def write(name, text, mode = 0o644)
    path = File.join(@folder, name)
    FileUtils.mkdir_p(File.dirname(path))
    File.write(path, text)
    File.chmod(mode, path)
  end

  def environment(more = {})
    {
      "XDG_RUNTIME_DIR" => File.join(@folder, "run"),
      "WARMSTART_STANDBY" => "1",
      "WARMSTART_CACHE_DIR" => File.join(@folder, "cache"),
      "RUBYOPT" => "-r#{Program::REPOSITORY}/lib/warmstart/setup",
      "CI" => nil
    }.merge(more.transform_keys(&:to_s))
  end

  # Output, errors and status of the command by the client.
  def command(*arguments, input: "", **more)
    Open3.capture3(environment(more), CLIENT, "--", "./main", *arguments, chdir: @folder, stdin_data: input)
  end

  def plain(*arguments, input: "", **more)
    Open3.capture3(
      { "RUBYOPT" => nil, **more.transform_keys(&:to_s) },
      "./main",
      *arguments,
      chdir: @folder,
      stdin_data: input
    )
  end

  def standbys = JSON.parse(Open3.capture2(environment, CLIENT, "--status", "--json").first)

  # Runs the command once, and waits until a standby of it waits, or is of no use.
  def prepare(*arguments, **more)
    first = command(*arguments, **more)
    wait_for("standby") { settled?(arguments) }
    first
  end

  # A standby that waits, or one that is of no use and that nobody tries to boot once more.
  def settled?(arguments)
    all = standbys
    all.any? { |one| one["command"] == ["./main", *arguments].join(" ") } &&
      all.all? { |one| one["state"] == "waits" || one["state"] == "unfit" }
  end

  def wait_for(what)
    deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 60
    until yield
      flunk "no #{what} within a minute: #{standbys}" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
      sleep 0.05
    end
  end

  def hits = standbys.sum { |one| one["commands"] }

  def assert_from_standby(*arguments, **more)
    before = hits
    result = command(*arguments, **more, WARMSTART_LOG: "1") # (the client says why it could not)
    assert_equal before + 1, hits, result[1]
    result[1].sub!(/\Awarmstart: from the standby \d+\n/, "") or flunk("the client does not say so: #{result[1]}")
    result
  end

  def same(expected, result)
    assert_equal expected.first(2), result.first(2)
    assert_equal [expected.last.exitstatus, expected.last.termsig], [result.last.exitstatus, result.last.termsig]
  end

  test "a command from a standby says and does what the ordinary one does" do
    expected = plain("a", "b c")
    same(expected, prepare("a", "b c"))
    2.times { same(expected, assert_from_standby("a", "b c")) }
    assert_match(/one/, expected.first)
  end

  test "a process that waits does nothing, also where it was collecting less" do
    prepare("governed", WARMSTART_GC: "16")
    waiting = standbys.find { |one| one["state"] == "waits" }.fetch("pid")
    counts =
      Array.new(2) do
        sleep 0.3
        Dir["/proc/#{waiting}/task/*/status"].sum do |path|
          File.read(path)[/^voluntary_ctxt_switches:\s*(\d+)/, 1].to_i
        end
      end
    assert_operator counts.last - counts.first, :<, 10
  end

  DEBUGGED = <<~'RUBY'
    #!/usr/bin/env ruby
    $LOAD_PATH.unshift File.join(__dir__, "lib")
    require "main"
    value = 6 * 7
    p DEBUGGER__::SESSION.active?, DEBUGGER__::SESSION.process_group.multi?, DEBUGGER__::SESSION.singleton_methods, Thread.list.size
    binding.break
    p value
    p Process.wait2(fork { p DEBUGGER__::SESSION.active? }).last.exitstatus
  RUBY

  test "the debugger, required whole: its session is there in each command, alone, and answers" do
    write("main", DEBUGGED, 0o755)
    write("lib/main.rb", "require 'debug'\n")
    arguments = { input: "p value + 1\nvalue = 5\nthread\ncontinue\n", RUBY_DEBUG_NO_COLOR: "1" }
    # (How often Reline draws a line depends on how fast it is typed. And the child is told from which process it was forked.)
    seen = ->(result) do
      result.first.gsub(/\e\[[\d;?]*[A-Za-z]/, "").scan(%r{=> 43|--> #.*|5$|^(?:true|false|nil|\[\]|\d+)$})
    end
    expected = plain(**arguments)
    missing "there is no gem debug: #{expected[1]}" if expected[1].include?("LoadError")
    assert_includes seen.call(expected), "=> 43", expected.first
    [prepare(**arguments), *Array.new(2) { assert_from_standby(**arguments) }].each do |result|
      assert_equal seen.call(expected), seen.call(result)
    end
  end

  test "a library's fork hook that fails in a command ends that, and no other standby comes of it" do
    write(
      "lib/main.rb",
      "Process.singleton_class.prepend(Module.new { def _fork = super.tap { |pid| raise Errno::EAGAIN, 'hook' if pid.zero? } })\n"
    )
    prepare
    2.times do
      _, errors, status = assert_from_standby
      assert_equal 1, status.exitstatus
      assert_match(/hook \(Errno::EAGAIN\)/, errors)
    end
  end

  test "standard input reaches the command" do
    prepare("read", input: "first")
    same(plain("read", input: "second\n"), assert_from_standby("read", input: "second\n"))
  end

  test "the command ends by the signal that ends its process, or by an exception" do
    prepare("killed")
    same(plain("killed"), assert_from_standby("killed"))
    prepare("raise")
    result = assert_from_standby("raise")
    assert_equal 1, result.last.exitstatus
    assert_match(/main:\d+:in .*<main>.*: failed \(RuntimeError\)/, result[1])
  end

  test "a change of anything that the boot has asked makes the ordinary command run" do
    prepare("x")
    {
      "contents of the same size" => -> { write("lib/text.txt", "two\n") },
      "a file that was not there" => -> { write("lib/absent.txt", "") },
      "code" => -> { write("lib/main.rb", LIBRARY.sub("one", "1").sub("not there", "absent")) },
      "a file that comes first on the load path" => -> { write("lib/set.rb", "$mine = true\n") }
    }.each do |what, change|
      change.call
      sleep 0.03
      expected = plain("x")
      same(expected, command("x"))
      assert_equal 0, hits, what
      wait_for("standby") { standbys.any? { |one| one["state"] == "waits" } }
      same(expected, assert_from_standby("x"))
    end
  end

  test "status and --why tell why commands did not come from a standby" do
    why = -> { Open3.capture2(environment, CLIENT, "--why", "--", "./main", "x", chdir: @folder, stdin_data: "") }
    out, status = why.call
    assert_equal ["not from a standby: there is none yet\n", 1], [out, status.exitstatus]
    prepare("x")
    2.times { assert_from_standby("x") }
    out, status = why.call
    assert_equal ["from a standby: all that its boot has asked is unchanged\n", 0], [out, status.exitstatus]
    write("lib/text.txt", "two\n")
    out, status = why.call
    assert_equal ["not from a standby: #{@folder}/lib/text.txt: has changed\n", 1], [out, status.exitstatus]
    sleep 0.03
    prepare("x")
    assert_equal({ "there is none yet" => 1, "#{@folder}/lib/text.txt: has changed" => 1 }, standbys.first["misses"])
    out, = Open3.capture2(environment, CLIENT, "--status")
    heading, row, *reasons = out.lines(chomp: true)
    assert_equal "command   state    since   memory   hits  misses", heading
    assert_match(%r{\A\./main x  waits      \d s  +\d+ MB      2       2\z}, row)
    assert_equal ["      1  #{@folder}/lib/text.txt: has changed", "      1  there is none yet"], reasons.sort
  end

  test "warmstart why --standby says what the client says, also as JSON" do
    why = ->(*options) do
      Open3.capture3(
        environment,
        RbConfig.ruby,
        File.join(Program::REPOSITORY, "exe/warmstart"),
        "why",
        "--standby",
        *options,
        chdir: @folder,
        stdin_data: ""
      )
    end
    prepare("x")
    out, err, status = why.call("--", "./main", "x")
    assert_equal ["from a standby: all that its boot has asked is unchanged\n", "", 0], [out, err, status.exitstatus]
    out, _, status = why.call("--json", "--", "./main", "y")
    assert_equal [{ "standby" => false, "why" => "there is none yet" }, 1], [JSON.parse(out), status.exitstatus]
    out, err, status = why.call
    assert_equal ["", "warmstart: give a command; try 'warmstart why --help'\n", 2], [out, err, status.exitstatus]
  end

  test "the first command in a terminal says that a standby is made, and WARMSTART_LOG tells each decision" do
    told =
      lambda do
        output, input, pid = PTY.spawn(environment, CLIENT, "--", "./main", "x", chdir: @folder)
        until_hung_up(output).tap { Process.wait(pid) }
      ensure
        [output, input].each(&:close)
      end
    assert_equal 1, told.call.scan(/^warmstart: a standby is made behind this command/).size
    refute_match(/^warmstart:/, told.call)
    prepare("x")
    _, err, =
      Open3.capture3(
        environment.merge("WARMSTART_LOG" => "1"),
        CLIENT,
        "--",
        "./main",
        "x",
        chdir: @folder,
        stdin_data: ""
      )
    assert_match(/^warmstart: from the standby #{standbys.find { |one| one["commands"].positive? }["pid"]}$/, err)
    # (What turns a setting off turns this one off, too.)
    { "1" => 1, "OFF" => 0, "no" => 0 }.each do |logs, lines|
      more = { "WARMSTART_LOG" => logs, "WARMSTART_STANDBY" => "0", "WARMSTART" => "0" }
      _, err, = Open3.capture3(environment.merge(more), CLIENT, "--", "./main", "x", chdir: @folder, stdin_data: "")
      assert_equal lines, err.scan(/^warmstart: /).size, err
    end
  end

  # A terminal's output ends with an error when nobody is there any more.
  def until_hung_up(output)
    text = +""
    loop { text << output.readpartial(4096) }
  rescue EOFError, SystemCallError
    text
  end

  test "what is old and of no use is removed when a standby is made" do
    prepare("x")
    runtime = File.join(@folder, "run/warmstart-standby")
    first = Dir.glob("#{runtime}/*.trace").first
    old =
      %w[0123.trace 0123.notes 0123.socket 4567.new.1].map do |name|
        File.join(runtime, name).tap { |path| File.write(path, "") }
      end
    old.each { |path| File.utime(Time.now - 3600, Time.now - 3600, path) }
    young = File.join(runtime, "89ab.notes").tap { |path| File.write(path, "") }
    prepare("y")
    assert_empty old.select { |path| File.exist?(path) }
    assert File.exist?(young)
    assert File.exist?(first)
  end

  test "another environment, folder, umask or argument is another command" do
    prepare("x")
    command("x", PASSING: "1").then { |out, *| assert_match(/"1"/, out) }
    command("y")
    Open3.capture3(environment, "sh", "-c", "umask 077; exec #{CLIENT} -- ./main x", chdir: @folder)
    if Process.getpriority(Process::PRIO_PROCESS, 0) < 19
      Open3.capture3(environment, "nice", "-n", "5", CLIENT, "--", "./main", "x", chdir: @folder)
    end
    Open3.capture3(environment, CLIENT, "--", "../main", "x", chdir: File.join(@folder, "lib"))
    assert_equal 0, hits
  end

  test "a program that comes first in PATH is another program" do
    path = { "PATH" => "#{@folder}/bin:#{ENV.fetch("PATH")}" }
    FileUtils.mkdir(File.join(@folder, "bin"))
    prepare("x", **path)
    assert_from_standby("x", **path)
    write("bin/ruby", "#!/bin/sh\necho mine\n", 0o755)
    assert_equal "mine\n", command("x", **path).first
  end

  test "a boot may ask for what fails: a file listed as a folder, a folder read as a file, a link that is not followed" do
    write("lib/main.rb", <<~RUBY)
      #{LIBRARY}
      text = File.join(__dir__, "text.txt")
      [-> { Dir.children(text) }, -> { File.read(__dir__) }, -> { Dir.exist?(text) }, -> { File.open(text, File::RDONLY | File::NOFOLLOW).close },
       -> { File.read(File.join(text, "below")) }, -> { File.readlink(text) }, -> { File.realpath(File.join(text, "below")) }].each { |ask| ask.call rescue $!.class }
    RUBY
    sleep 0.03
    prepare("x")
    assert_from_standby("x")
  end

  test "a handler of SIGCHLD does not run in the standby" do
    write("lib/main.rb", "#{LIBRARY}trap(:CHLD) { $stderr.puts \"a child\" }\n")
    write("main", MAIN.sub("exit 7", "system('true')\nsleep 0.1\nexit 7"), 0o755)
    sleep 0.03
    expected = plain("x")
    prepare("x")
    2.times do
      same(
        expected,
        assert_from_standby("x").then do |out, error, status|
          [out, error.lines.reject { |line| line.start_with?("warmstart") }.join, status]
        end
      )
    end
  end

  test "the environment is the client's, with what the boot has set" do
    write("main", MAIN.sub("p ARGV", "p ENV['SET_BY_BOOT'], ARGV"), 0o755)
    sleep 0.03
    prepare("x", OLDPWD: "/one")
    out, = assert_from_standby("x", OLDPWD: "/two")
    assert_match(/\A"1"\n/, out)
    assert_match(%r{"/two"}, out)
  end

  test "what the boot appends to a log, each command appends" do
    write("lib/main.rb", "#{LIBRARY}File.open(File.join(__dir__, '../log'), 'a') { |log| log.syswrite(\"boot\\n\") }\n")
    write("log", "")
    sleep 0.03
    prepare("x")
    assert_equal "boot\n", File.read(File.join(@folder, "log"))
    2.times { assert_from_standby("x") }
    assert_equal "boot\n" * 3, File.read(File.join(@folder, "log"))
  end

  test "an effect of the boot comes once, with the ordinary command, and status tells why" do
    {
      "File.write(File.join(__dir__, 'made'), '')" => "open",
      "system('true')" => /exec|fork|spawn/,
      "puts 'printed'" => "write",
      "Thread.new { sleep }" => "leaves a thread",
      "$socket = UNIXSocket.pair" => "leaves",
      "IO.popen('true').read" => /exec|fork|spawn/
    }.each do |code, why|
      write("lib/main.rb", "require 'socket'\n#{LIBRARY}#{code}\n")
      FileUtils.rm_f(File.join(@folder, "lib/made"))
      sleep 0.03
      system(environment, CLIENT, "--stop", out: File::NULL)
      expected = plain("x")
      FileUtils.rm_f(File.join(@folder, "lib/made"))
      same(expected, prepare("x"))
      FileUtils.rm_f(File.join(@folder, "lib/made"))
      same(expected, command("x"))
      assert_equal ["unfit"], standbys.map { |one| one["state"] }, code
      assert_match why, standbys.first["why"], code
      assert_equal 0, hits
    end
  end

  test "WARMSTART_STANDBY=0, CI, production and root without a word use no standby" do
    [
      { WARMSTART_STANDBY: "0" },
      { WARMSTART_STANDBY: nil, CI: "true" },
      { WARMSTART_STANDBY: nil, RAILS_ENV: "production" },
      { WARMSTART: "0" }
    ].each do |more|
      same(plain("x"), command("x", **more))
      assert_empty standbys
    end
    return unless Process.uid.zero?

    command("x", WARMSTART_STANDBY: nil)
    assert_empty standbys
  end

  test "a runtime folder that others may enter is not used" do
    FileUtils.mkdir_p(File.join(@folder, "run/warmstart-standby"), mode: 0o755)
    File.chmod(0o755, File.join(@folder, "run/warmstart-standby"))
    same(plain("x"), command("x"))
    assert_empty Dir.children(File.join(@folder, "run/warmstart-standby"))
  end

  # The kernel counts a fault for each page that a child writes to and shares with the standby. Most of them come from
  # what the boot has freed, if children use it again, and from what Ruby frees at its end: 9,800 in this program, 4,500
  # without both.
  test "a command copies little of the standby's memory" do
    write("lib/main.rb", <<~RUBY)
      #{LIBRARY}
      pieces = Array.new(300_000) { |number| "b" * (40 + number % 50) }
      KEPT = pieces.each_slice(2).map(&:first)
      pieces = nil
      CALLS = Array.new(30_000) { |number| proc { number } }
    RUBY
    write("main", MAIN.sub("exit 7", "Array.new(20_000) { 'a' * 60 }.size"), 0o755)
    sleep 0.03
    prepare("x")
    faults = -> { File.read("/proc/#{standbys.first["pid"]}/stat")[/\) (.*)/, 1].split[8].to_i } # (of children that have ended)
    before = faults.call
    assert_from_standby("x")
    assert_operator faults.call - before, :<, 6_500
  end

  test "of each file that is no link one question is asked, however often the boot has asked" do
    write(
      "lib/main.rb",
      "#{LIBRARY}text = File.join(__dir__, 'text.txt')\n[File.stat(text), File.lstat(text), File.read(text), File.realpath(text)]\n"
    )
    sleep 0.03
    prepare("x")
    inputs = Open3.capture2(environment, CLIENT, "--inputs").first.lines.map(&:strip)
    assert_equal ["lstat #{@folder}/lib/text.txt"], inputs.grep(%r{ #{@folder}/lib/text\.txt})
  end

  test "a signal for the client reaches the command" do
    prepare("sleep")
    write("wait", "")
    client = IO.popen(environment, [CLIENT, "--", "./main", "sleep"], chdir: @folder, in: File::NULL, err: File::NULL)
    client.readpartial(1)
    Process.kill(:TERM, client.pid)
    _, status = Process.wait2(client.pid)
    assert_equal Signal.list["TERM"], status.termsig
    assert_equal 1, hits
  end

  test "in a terminal the command is in the session, and Ctrl-C interrupts it" do
    run_in_terminal =
      lambda do |reader, writer|
        writer.puts "cd #{@folder}; PS1=; stty -echo; #{CLIENT} -- ./main sleep; echo first $?"
        read_until(reader, /first \d+/)
        wait_for("standby") { standbys.any? { |one| one["state"] == "waits" } }
        write("wait", "")
        writer.puts "#{CLIENT} -- ./main sleep"
        read_until(reader, /^data/)
        assert_equal 1, hits, standbys.to_s
        sleep 0.3
        writer.write "\x03"
        writer.puts "echo second $?"
        assert_match(/second 130/, read_until(reader, /second \d+/))
      end
    PTY.spawn(environment("PS1" => ""), "sh") { |reader, writer, _| run_in_terminal.call(reader, writer) }
  end

  # What the shell and the program say when the program is stopped, goes on in the foreground, and is interrupted.
  JOB = <<~RUBY
    #!/usr/bin/env ruby
    $LOAD_PATH.unshift File.join(__dir__, "lib")
    require "main"
    # (A handler that comes in the middle of a puts cannot take its lock.)
    def say(text) = $stdout.syswrite("\#{text}\n")
    trap(:CONT) { say "continued" } if ARGV.include?("told")
    trap(:INT) { say "interrupted"; exit 5 } if ARGV.include?("told")
    %i[USR1 USR2 QUIT].each { |name| trap(name) { say "\#{name}, \#{Thread.main.status}" } }
    at_exit { say "at exit" }
    say [Process.getsid == Process.getsid(Process.ppid), File.open("/dev/tty", &:tty?), $stdin.tty?, $stdout.winsize.size]
    say "ready"
    sleep 0.05 while File.exist?("wait")
  RUBY

  test "Ctrl-Z, fg, bg, a stop by kill, and Ctrl-C are in a shell as in plain Ruby" do
    missing "bash" unless system("bash", "--version", out: File::NULL)
    write("main", JOB, 0o755)
    write("lib/main.rb", "#{LIBRARY}require 'io/console'\n")
    %w[silent told].each do |how|
      plain = in_shell("./main #{how}", more: { "RUBYOPT" => nil })
      assert_equal %w[148 130],
                   plain
                     .scan(/status (\d+)/)
                     .flatten
                     .values_at(0, -1)
                     .map { |status| how == "told" && status == "5" ? "130" : status },
                   plain
      assert_equal plain, in_shell("#{CLIENT} -- ./main #{how}", prepares: true), how
      # (Each time a signal comes, the client takes long to find out for whom it was: the next one comes meanwhile.)
      plain = in_shell("./main #{how}", more: { "RUBYOPT" => nil }, slowly: true)
      assert_equal plain, in_shell("#{CLIENT} -- ./main #{how}", prepares: true, slowly: true), "#{how}, slowly"
    end
  end

  # A session of bash's, in a terminal: what it and the program say, without numbers of processes and the command itself.
  def in_shell(command, more: {}, prepares: false, slowly: false)
    FileUtils.rm_f(File.join(@folder, "wait"))
    text = +""
    PTY.spawn(
      environment.merge("HISTFILE" => nil, "TERM" => "dumb", **more),
      "bash",
      "--norc",
      "--noprofile",
      "-i"
    ) do |reader, writer, pid|
      # (The marks are not what is typed.)
      type =
        lambda do |line, mark|
          writer.puts(line)
          text << read_until(reader, mark)
        end
      # (A program that is told says when it goes on.)
      goes_on = command.end_with?(" told") ? /^continued\r?\n/ : //
      type.call("bind 'set enable-bracketed-paste off'; PS1=; PS2=; stty -echo; cd #{@folder}; echo be''gun", /^begun/)
      type.call("state() { grep '^State:.T' /proc/$(jobs -p)/status; }; echo def''ined", /^defined/)
      if prepares
        type.call("#{command}; echo first $?", /^first \d+/)
        wait_for("standby") { settled?([command.split.last]) }
      end
      text.clear
      before = hits
      write("wait", "")
      type.call(command, /^ready/)
      assert_equal before + 1, hits, standbys.to_s if prepares
      slow_down(foreground(pid)) if prepares && slowly
      writer.write("\x1a")
      type.call("echo status $?", /status \d+/)
      type.call("jobs; echo listed", /^listed/)
      type.call("fg", /#{Regexp.escape(command)}\r?\n#{goes_on.source}/)
      wait_for("job in the foreground") { in_foreground?(pid) }
      writer.write("\x1a")
      type.call("echo status $?", /status \d+/)
      type.call("fg", /#{Regexp.escape(command)}\r?\n#{goes_on.source}/)
      wait_for("job in the foreground") { in_foreground?(pid) }
      writer.write("\x1c") # (by the terminal, then to the process alone, when it has taken the first)
      text << read_until(reader, /^QUIT, /)
      wait_for("process that listens") { listens?(foreground(pid)) }
      Process.kill(:QUIT, foreground(pid))
      text << read_until(reader, /^QUIT, /)
      writer.write("\x1a")
      type.call("echo status $?", /status \d+/)
      type.call("bg", /^\[1\].* &\r?\n#{goes_on.source}/)
      type.call("jobs; echo listed", /^listed/)
      unless slowly # (the slow client is stopped all the time, by strace)
        type.call("kill -STOP %1; until state > st; do sleep 0.05; done; kill -CONT %1", goes_on)
        type.call("while state > st; do sleep 0.05; done; echo sent", /^sent/)
      end
      # (to the group, again and again; and to the process that the shell knows)
      3.times do
        type.call("kill -USR1 %1", /^USR1, /)
        type.call("kill -USR2 $(jobs -p)", /^USR2, /)
        type.call("kill -QUIT $(jobs -p)", /^QUIT, /)
      end
      # (From 5.3 on bash sends SIGCONT to a job that runs, too.)
      continues = `bash -c 'printf %d%02d "${BASH_VERSINFO[@]:0:2}"'`.to_i >= 503
      type.call("fg", /#{Regexp.escape(command)}\r?\n#{goes_on.source if continues}/)
      wait_for("job in the foreground") { in_foreground?(pid) }
      writer.write("\x03")
      type.call("echo status $?", /status \d+/)
      type.call("jobs; stty -a | grep -o ' icanon'; echo done", /^done\r?\n/)
      writer.puts("exit")
      read_until(reader, /(?!)/) # (to the end: nobody holds the terminal any more)
      Process.wait(pid)
    end
    # (An empty line comes or not, as bash hears of the stop.)
    text.gsub(command, "COMMAND").delete("\r").squeeze("\n")
  end

  # Whether the shell has given its terminal to a job, and this one runs.
  def in_foreground?(shell)
    group = foreground(shell)
    group != shell && File.read("/proc/#{group}/stat").split(") ").last[0] !~ /t/i
  end

  # The process group that has the shell's terminal (tpgid in proc(5)).
  def foreground(shell) = File.read("/proc/#{shell}/stat").split(") ").last.split[5].to_i

  # Two signals of a kind are one for a process that has not taken the first yet. (The slow client: in its handler.)
  def listens?(process)
    File.read("/proc/#{process}/status").scan(/^(?:State:\s+(\w)|S\w+Pnd:\s+(\h+))/) in [
      [/[St]/, nil],
      [_, /\A0+\z/],
      [_, /\A0+\z/]
    ]
  end

  # The client's setpgid, in each handler of a signal, takes a third of a second.
  def slow_down(client)
    missing "strace" unless system("strace", "-V", out: File::NULL)
    delay = %w[-o /dev/null -e trace=setpgid -e inject=setpgid:delay_exit=300000]
    Process.detach(spawn("strace", "-p", client.to_s, *delay, err: File::NULL))
    wait_for("strace") { File.read("/proc/#{client}/status")[/^TracerPid:\s+(\d+)/, 1] != "0" }
  end

  test "a terminal that hangs up while a command runs" do
    PTY.spawn(environment("PS1" => ""), "sh") do |reader, writer, _|
      writer.puts "trap '' HUP; cd #{@folder}; stty -echo; #{CLIENT} -- ./main sleep; echo first $?"
      read_until(reader, /first \d+/)
      wait_for("standby") { standbys.any? { |one| one["state"] == "waits" } }
      write("wait", "")
      writer.puts "#{CLIENT} -- ./main sleep"
      read_until(reader, /^error/)
      [reader, writer].each(&:close)
    end
    pid = standbys.first["pid"]
    before = processor_time(pid)
    sleep 0.5
    assert_operator processor_time(pid) - before, :<=, 10
  ensure
    children = pid && File.read("/proc/#{pid}/task/#{pid}/children").split.map(&:to_i)
    # (A child may have ended meanwhile.)
    [*children, *pid].each { |process| end_process(process) }
  end

  def end_process(pid)
    Process.kill(:KILL, pid)
  rescue Errno::ESRCH
    nil
  end

  # (ticks of 10 ms)
  def processor_time(pid) = File.read("/proc/#{pid}/stat").split(") ").last.split.values_at(11, 12).sum(&:to_i)

  def read_until(reader, pattern)
    text = +""
    until text.match?(pattern)
      reader.wait_readable(Program.patience(30)) or flunk("nobody says #{pattern.inspect}: #{text.dump}")
      text << reader.readpartial(4096)
    end
    text
  rescue Errno::EIO
    text
  end

  test "every path that the system calls of a boot show is among its inputs" do
    missing "strace" unless system("strace", "-V", out: File::NULL)
    prepare("x")
    inputs =
      Open3.capture2(environment, CLIENT, "--inputs").first.lines.to_h { |line| line.strip.split(" ", 2).reverse }
    known = inputs.keys.map { |key| key.sub(/: .*\z/, "") }
    log = File.join(@folder, "strace")
    Open3.capture3(
      environment("WARMSTART_READONLY" => "1"),
      "strace",
      "-f",
      "-e",
      "trace=file",
      "-o",
      log,
      "./main",
      "x",
      chdir: @folder,
      stdin_data: ""
    )
    asked =
      File
        .readlines(log)
        .take_while { |line| !line.include?("exit_group") }
        .filter_map { |line| line[/\A\d+ +(?!execve)\w+\([^"]*"([^"]+)"/, 1] }
    # (The C library reads locales by itself, and the dynamic linker libraries. Their folders and the libraries are inputs.)
    places = [@folder, RbConfig::CONFIG.fetch("rubylibprefix"), "/etc"].map { |folder| "#{folder}/" }
    asked = asked.map { |path| File.expand_path(path, @folder) }.uniq.select { |path| path.start_with?(*places) }
    asked.reject! do |path|
      path.start_with?(File.join(@folder, "cache"), "/etc/ld.so") || path.match?(/\.(?:manifest|segment)\z/)
    end
    assert_operator asked.size, :>, 20
    assert_empty (asked - known).reject { |path| File.directory?(path) }
  end
end
