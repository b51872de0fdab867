# frozen_string_literal: true

require "json"
require "pty"
require "socket"
require "timeout"
require_relative "test_helper"
require_relative "support/one_standby"

# What the standby's client, and the process that stays behind it, do to a command: it runs once, gets the signals that
# it would get, and whoever waits for its descriptors waits for nobody else.
class StandbyClientTest < TestCase
  include OneStandby

  # How often the program has run: each run adds a line.
  def effects
    assert eventually { @program.left.empty? || @program.status.any? { |one| one["state"] != "boots" } }
    File.readlines(@program.path("effects")).size
  end

  test "a client in a folder whose name the dynamic linker would take apart makes no standby" do
    ["with space", "with:colon", "with$LIB"].each do |name|
      program("", "File.write(File.join(__dir__, 'effects'), \"one\\n\", mode: 'a')\n")
      folder = File.join(@program.base, name)
      Dir.mkdir(folder)
      FileUtils.cp(Dir[File.join(File.dirname(StandbyProgram::CLIENT), "{standby,interposer.so}")], folder)
      # (Nothing of Warmstart's runs in the program, so nothing there could end a boot without the interposer.)
      environment = @program.environment.except("RUBYOPT")
      client = File.join(folder, "standby")
      assert_equal 0, @program.execute([client, "--", @program.path("foo")], environment).status
      assert_equal 1, effects, name
      assert_empty @program.status
      told = @program.execute([client, "--why", "--", @program.path("foo")], environment)
      assert_equal [
                     "not from a standby: its library cannot be preloaded (is a space, a colon or a dollar sign in its " \
                       "path?)\n",
                     1
                   ],
                   [told.stdout, told.status]
    end
  end

  RAW = <<~C
    #include <fcntl.h>
    #include <sys/syscall.h>
    static long call(long n, long a, long b, long c, long d)
    {
        long result;
        register long fourth __asm__("r10") = d;
        __asm__ volatile("syscall" : "=a"(result) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(fourth) : "rcx", "r11", "memory");
        return result;
    }
    int main(void)
    {
        call(SYS_write, call(SYS_openat, AT_FDCWD, (long)"effects", O_WRONLY | O_CREAT | O_APPEND, 0644), (long)"one\\n", 4, 0);
        return 0;
    }
  C

  # As Go's programs are that use cgo: linked dynamically, but no call passes through the C library.
  test "a program that makes its system calls itself is run once" do
    skip "x86-64 only" unless RUBY_PLATFORM.start_with?("x86_64")
    program("X = 1\n", "exec File.join(__dir__, 'raw')\n", "raw.c" => RAW)
    raw = @program.path("raw")
    assert system(*RbConfig::CONFIG["CC"].split, "-o", raw, @program.path("raw.c"))
    assert_equal 0, @program.run(raw).status
    assert_equal 1, effects
    assert_empty @program.status

    File.unlink(@program.path("effects"))
    told = @program.make # (it becomes the program in the middle of its boot)
    assert_equal 1, effects
    assert_match(/its boot calls exec for .*raw/, told["why"])

    File.unlink(@program.path("effects"))
    Dir.mkdir(@program.path("bin"))
    %w[ruby rubyfmt].each do |name| # (version managers have such links; the other one is another program's name)
      FileUtils.rm_f(@program.path("bin/#{name}"))
      name == "ruby" ? File.symlink(raw, @program.path("bin/ruby")) : FileUtils.cp(raw, @program.path("bin/rubyfmt"))
      assert_equal 0, @program.run(@program.path("bin/#{name}")).status
      assert_equal 1, effects, name
      File.unlink(@program.path("effects"))
    end
  end

  CHILD = <<~RUBY
    $LOAD_PATH.unshift __dir__
    require 'foo'
    pid = spawn("exec sleep \#{File.exist?('long') ? 300 : 0}", in: File::NULL, out: File::NULL, err: File::NULL)
    $stdout.syswrite("\#{pid}\\n")
    Process.wait(pid)
  RUBY

  # Runs the command in a group of its own, and sends it a signal when it has begun. Returns what it had said, and
  # its status, without numbers of processes.
  def signalled(name, *command, group: false, from_standby: true, plain: false)
    reader, writer = IO.pipe
    hits = plain || @program.hits
    environment = @program.environment
    environment = environment.reject { |variable, _| variable.match?(/WARMSTART|RUBYOPT/) } if plain
    command = [StandbyProgram::CLIENT, "--", *command] unless plain
    options = { in: File::NULL, out: writer, err: writer, chdir: @program.folder, pgroup: true, unsetenv_others: true }
    pid = spawn(environment, *command, **options)
    writer.close
    first = reader.gets
    yield first if block_given?
    Process.kill(name, group ? -pid : pid)
    rest = reader.read unless block_given?
    status = Process.wait2(pid).last
    reader.close
    assert_equal hits + 1, @program.hits if from_standby && !plain
    [first, rest, status.signaled? ? "signal #{status.termsig}" : status.exitstatus]
  end

  test "a signal for the client's group reaches the command's children, and one for the client alone does not" do
    program("X = 1\n", CHILD)
    @program.make
    @program.write("long", "")
    { TERM: true, INT: true, KILL: true, USR1: false }.each do |name, group|
      child = nil
      signalled(name, @program.path("foo"), group: group) { |line| child = line.to_i }
      assert_operator child, :>, 0
      if group
        assert eventually { !there?(child) }, "the child after SIG#{name}"
      else
        sleep 0.2
        assert there?(child)
        Process.kill(:KILL, child)
      end
    end
  end

  test "files may not become large" do
    program("X = 1\n")
    [0, 1].each do |kilobytes|
      command = ["bash", "-c", "ulimit -f #{kilobytes}; \"$@\"", "-", StandbyProgram::CLIENT]
      3.times do
        result = @program.execute([*command, "--", @program.path("foo")], @program.environment)
        assert_equal ["1\n", "", 0], [result.stdout, result.stderr, result.status], "ulimit -f #{kilobytes}"
      end
      told = @program.execute([*command, "--why", "--", @program.path("foo")], @program.environment)
      assert_equal "not from a standby: a file may not be as large as its trace (ulimit -f)\n", told.stdout
    end
    assert_empty @program.status
  end

  test "signals that somebody sends are the command's, also those of a process's own faults" do
    ["ABRT", "TRAP", "SYS", "CHLD", "SEGV", 40].each do |name|
      trap = name == "SEGV" ? "" : "trap(#{name.inspect}) { $stdout.syswrite \"handled\\n\"; exit 3 }\n"
      script = "$LOAD_PATH.unshift __dir__\nrequire 'foo'\n#{trap}$stdout.syswrite \"ready\\n\"\nsleep 1\nputs 'end'\n"
      program("Process.setrlimit(:CORE, 0)\nX = 1\n", script)
      @program.make
      foo = @program.path("foo")
      expected = signalled(name, foo, plain: true).values_at(0, 2)
      assert_equal expected, signalled(name, foo).values_at(0, 2), name
    end
    program(
      "X = 1\n",
      "$LOAD_PATH.unshift __dir__\nrequire 'foo'\n$stdout.syswrite \"ready\\n\"\nsleep 1\nputs 'end'\n"
    )
    @program.make
    assert_equal signalled("PIPE", @program.path("foo"), plain: true), signalled("PIPE", @program.path("foo"))
  end

  test "the program's handlers do not run in the process that waits, and each command has them" do
    names = Signal.list.keys - %w[EXIT KILL STOP SEGV BUS ILL FPE VTALRM TERM HUP ABRT IOT TRAP SYS XCPU CLD] + [40]
    program(<<~RUBY, "#{HEAD}(#{names} - ['CHLD']).each { |name| Process.kill(name, $$); sleep 0.02 }\np X\n")
      #{names}.each do |name|
        trap(name) { $stdout.syswrite("\#{name}\n"); File.write(__dir__ + "/effects", "x", mode: "a") }
      end
      X = 1
    RUBY
    pid = @program.make["pid"]
    effects = File.binread(@program.path("effects")) # (of the ordinary command)
    File.unlink(@program.path("effects"))
    names.each { |name| Process.kill(name, pid) }
    sleep 0.1
    result = @program.run
    assert_equal [pid, 1], [@program.status.first["pid"], @program.hits]
    assert_equal effects, File.binread(@program.path("effects"))
    assert_equal @program.plain.visible, result.visible
  end

  LIMITED = <<~C
    #include <stdlib.h>
    #include <unistd.h>
    int main(int count, char **arguments)
    {
        alarm((unsigned)atoi(arguments[1])); /* (it lasts over exec) */
        return execv(arguments[2], arguments + 2);
    }
  C

  # What a terminal shows of a command that has a time limit of a second, when it has run once.
  def limited_in_terminal(*client, environment)
    @program.write("run.sh", <<~SH)
      ./limited 60 #{client.join(" ")} ./foo
      while [ ! -e long ]; do sleep 0.05; done
      ./limited 1 #{client.join(" ")} ./foo
      echo status $?
    SH
    environment = ENV.to_h.transform_values { nil }.merge(environment)
    terminal, _, pid = PTY.spawn(environment, "sh", "run.sh", chdir: @program.folder)
    @program.settled if client.any?
    @program.write("long", "")
    text = +""
    begin
      loop { text << terminal.readpartial(999) }
    rescue SystemCallError
      Process.wait(pid)
    end
    assert_match(/^warmstart: from /, text) if client.any?
    text.delete("\r").lines.grep(/\A(begins|ends|status)/)
  end

  test "a time limit that was set before, in a terminal" do
    program(
      "X = 1\n",
      "#{HEAD}$stdout.sync = true\nputs 'begins'\nsleep(File.exist?('long') ? 5 : 0)\nputs 'ends'\n",
      "limited.c" => LIMITED
    )
    limited = @program.path("limited")
    assert system(*RbConfig::CONFIG["CC"].split, "-o", limited, @program.path("limited.c"))
    plain = @program.environment.reject { |name, _| name.match?(/WARMSTART|RUBYOPT/) }
    expected = ["begins\n", "ends\n", "begins\n", "status 142\n"]
    assert_equal expected, limited_in_terminal(plain)
    File.unlink(@program.path("long"))
    environment = @program.environment.merge("WARMSTART_LOG" => "1")
    assert_equal expected, limited_in_terminal(StandbyProgram::CLIENT, environment)
  end

  test "a lock that the command inherits ends with it" do
    program("X = 1\n")
    lock = File.join(@program.base, "lock")
    File.write(lock, "")
    10.times do |i|
      File.open(lock, "r+") do |file|
        file.flock(File::LOCK_EX)
        environment = @program.environment.merge("ANOTHER" => i.to_s) # (so it is the first one of its kind)
        pid = spawn(environment, StandbyProgram::CLIENT, @program.path("foo"), 9 => file, :out => File::NULL)
        file.close
        Process.wait(pid)
      end
      File.open(lock, "r+") { |other| assert other.flock(File::LOCK_EX | File::LOCK_NB), "after #{i} commands" }
    end
  end

  test "what is told as JSON is UTF-8" do
    program("X = 1\n")
    @program.make(@program.path("foo"), "\xFF\xFEa\xE2\x82".b, "\u20AC\xED\xA0\x80".b)
    @program.run(@program.path("foo"), "a", "\u00E4" * 1500) # (it is cut after 2,047 bytes)
    @program.run(@program.path("foo"), "aa", "\u00E4" * 1500)
    assert eventually { @program.status.size == 3 }
    text = @program.execute([StandbyProgram::CLIENT, "--status", "--json"], @program.environment).stdout
    assert_predicate text.dup.force_encoding("UTF-8"), :valid_encoding?
    commands = JSON.parse(text).map { |one| one["command"].delete_prefix("#{@program.path("foo")} ") }
    assert_includes commands, "\xFF\xFEa\xE2\x82 \u20AC\xED\xA0\x80".scrub
    assert(commands.any? { |command| command.match?(/\Aaa? \u00E4+\uFFFD\z/) })
  end

  test "what a core dump has, and how exact timers are, are the command's own" do
    program("X = 1\n", "$LOAD_PATH.unshift __dir__\nrequire 'foo'\nputs File.read('/proc/self/coredump_filter')\n")
    with = ->(filter) { ["sh", "-c", "echo #{filter} > /proc/self/coredump_filter; exec \"$@\"", "-"] }
    client = [StandbyProgram::CLIENT, "--", @program.path("foo")]
    @program.execute([*with.("0x33"), *client], @program.environment)
    @program.settled
    assert_equal "0000007f\n", @program.execute([*with.("0x7f"), *client], @program.environment).stdout
    assert_equal 0, @program.hits
    assert_equal "00000033\n", @program.execute([*with.("0x33"), *client], @program.environment).stdout
    assert_equal 1, @program.hits
  end

  # Closes its outputs and goes on, until the file "goes" is there.
  DETACHES = <<~RUBY
    $LOAD_PATH.unshift __dir__
    require 'foo'
    p X
    $stdout.flush
    [$stdout, $stderr].each { |stream| stream.reopen(File::NULL) }
    sleep 0.02 until File.exist?(File.join(__dir__, 'goes'))
  RUBY

  # What a reader of the command's outputs has seen when these have ended, though the command itself has not.
  def read_while_it_runs
    reader, writer = IO.pipe
    options = { in: File::NULL, out: writer, err: writer, chdir: @program.folder, unsetenv_others: true }
    pid = spawn(@program.environment, StandbyProgram::CLIENT, "--", @program.path("foo"), **options)
    writer.close
    text = Timeout.timeout(Program.patience(5)) { reader.read }
    assert_nil Process.wait(pid, Process::WNOHANG)
    text
  ensure
    File.write(@program.path("goes"), "")
    Process.wait(pid)
    File.unlink(@program.path("goes"))
  end

  test "whoever reads what the command says waits for the command alone" do
    program("X = 1\n", DETACHES)
    assert_equal "1\n", read_while_it_runs # (and a process waits that is to make the standby)
    @program.settled
    hits = @program.hits
    assert_equal "1\n", read_while_it_runs
    assert_equal hits + 1, @program.hits
  end

  # ---- which process it is ----

  def there?(pid)
    !File.read("/proc/#{pid}/stat")[/\) Z /]
  rescue SystemCallError
    false
  end

  def parent_of(pid) = Integer(File.read("/proc/#{pid}/stat")[/\) \w (\d+)/, 1])
  def file(suffix) = Dir[File.join(@program.runtime, "**/*.#{suffix}")].fetch(0)

  # Returns the process of a boot that takes a while.
  def slow_boot
    program("sleep 1.5\nX = 1\n")
    @program.run
    pid = 0
    assert eventually { (pid = @program.status.first&.fetch("pid").to_i).positive? }
    assert_equal "boots", @program.status.first["state"]
    pid
  end

  test "a boot ends with the process that has it made" do
    pid = slow_boot
    Process.kill(:KILL, parent_of(pid))
    assert eventually { !there?(pid) }
    assert_empty Dir[File.join(@program.runtime, "**/*.socket")]
  end

  test "a boot that ends when there is another trace of its command is of no use" do
    pid = slow_boot
    FileUtils.cp(file("trace"), File.join(@program.base, "another"))
    File.rename(File.join(@program.base, "another"), file("trace"))
    assert eventually { !there?(pid) }
    assert_empty Dir[File.join(@program.runtime, "**/*.socket")]
  end

  test "a standby that answers for another one's trace is not asked" do
    program("X = 1\n")
    pid = @program.make["pid"]
    File.unlink(file("socket"))
    Dir.chdir(File.dirname(file("trace"))) do
      UNIXServer.open(File.basename(file("trace"), ".trace") + ".socket") do |server|
        assert_equal @program.plain.visible, @program.run.visible
        client = server.accept_nonblock(exception: false)
        assert_empty client.recvmsg(32)&.first.to_s.unpack("L*") unless client == :wait_readable
        assert_includes @program.status.flat_map { |one| one["misses"].keys }, "the standby cannot be reached"
      end
    end
  ensure
    Process.kill(:KILL, pid) # (nobody can reach it, and it would hear of that within a minute)
  end

  # Kills what has made the trace, and gives its process's number in the trace to another one, as if that had it now.
  # Returns the other one.
  def stranger_in_place_of(pid)
    stranger = spawn("exec sleep 1000", in: File::NULL, out: File::NULL)
    [parent_of(pid), pid].each { |process| Process.kill(:KILL, process) }
    assert eventually { !there?(pid) }
    File.binwrite(file("trace"), [stranger].pack("L"), 12)
    stranger
  end

  test "a process that has the number of a standby that was killed is left alone" do
    program("X = 1\n")
    stranger = stranger_in_place_of(@program.make["pid"])
    Process.kill(:STOP, stranger)
    assert_equal @program.plain.visible, @program.run.visible
    assert_equal "T", File.read("/proc/#{stranger}/stat")[/\) (\w)/, 1]
  ensure
    Process.kill(:KILL, stranger)
    Process.wait(stranger)
  end

  test "a process that has the number of a standby or a boot that was killed is not seen as one, nor ended with all" do
    program("X = 1\n")
    strangers = [stranger_in_place_of(@program.make["pid"])]
    assert_empty @program.status
    strangers << stranger_in_place_of(slow_boot)
    @program.execute([StandbyProgram::CLIENT, "--stop"], @program.environment)
    assert(strangers.all? { |stranger| there?(stranger) })
  ensure
    strangers.each do |stranger|
      Process.kill(:KILL, stranger)
      Process.wait(stranger)
    end
  end

  test "SIGTERM for everything of the program's name reaches the command once, and its status is not lost" do
    program(
      "X = 1\n",
      "#{HEAD}trap(:TERM) { $stdout.syswrite \"handled\\n\"; sleep 0.4; exit 5 }\n$stdout.syswrite \"ready\\n\"\nsleep 5\n"
    )
    pid = @program.make["pid"]
    reader, writer = IO.pipe
    options = { in: File::NULL, out: writer, err: writer, chdir: @program.folder, unsetenv_others: true }
    client = spawn(@program.environment, StandbyProgram::CLIENT, "--", @program.path("foo"), **options)
    writer.close
    assert_equal "ready\n", reader.gets
    assert_equal 1, @program.hits
    Dir["/proc/[0-9]*/cmdline"].each do |path|
      Process.kill(:TERM, path[/\d+/].to_i) if File.binread(path).include?(@program.path("foo"))
    rescue SystemCallError
      nil # (it has ended)
    end
    assert_equal ["handled\n", 5], [reader.read, Process.wait2(client).last.exitstatus]
    assert eventually { !there?(pid) }
    assert eventually { Dir[File.join(@program.runtime, "**/*.{trace,socket}")].empty? }
  end

  test "SIGTERM and SIGHUP end a standby, or the process that stays behind it, and nothing is left" do
    program("X = 1\n")
    %i[TERM HUP]
      .product([true, false])
      .each do |name, behind|
        pid = @program.make["pid"]
        Process.kill(name, behind ? parent_of(pid) : pid)
        assert eventually { !there?(pid) }, "SIG#{name}"
        assert eventually { Dir[File.join(@program.runtime, "**/*.{trace,socket}")].empty? }, "SIG#{name}"
      end
  end

  test "a standby ends with its terminal's session, also where no standard descriptor leads to the terminal" do
    program("X = 1\n")
    environment = ENV.to_h.transform_values { nil }.merge(@program.environment)
    pid = nil
    PTY.spawn(environment, "sh", chdir: @program.folder) do |_, writer, _|
      writer.puts "#{StandbyProgram::CLIENT} -- ./foo </dev/null >/dev/null 2>&1"
      assert eventually { @program.status.any? }
      assert_equal "waits", @program.settled["state"]
      pid = @program.status.first["pid"]
      writer.puts "exit"
      assert eventually { !there?(pid) }
    end
  end

  test "a standby that is stopped while its command runs does not keep the client waiting" do
    program("X = 1\n", "#{HEAD}$stdout.syswrite \"ready\\n\"\nsleep 0.5\nexit 4\n")
    pid = @program.make["pid"]
    reader, writer = IO.pipe
    said = File.join(@program.base, "stderr")
    options = { in: File::NULL, out: writer, err: said, chdir: @program.folder, unsetenv_others: true }
    client = spawn(@program.environment, StandbyProgram::CLIENT, "--", @program.path("foo"), **options)
    writer.close
    assert_equal "ready\n", reader.gets
    Process.kill(:STOP, pid)
    status = nil
    assert eventually { status = Process.wait2(client, Process::WNOHANG)&.last }
    assert_equal 1, status.exitstatus
    assert_equal "warmstart: the standby does not answer; the command's exit status is lost\n", File.read(said)
  ensure
    Process.kill(:CONT, pid)
  end
end
