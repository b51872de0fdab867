# frozen_string_literal: true

require "socket"
require_relative "test_helper"
require_relative "support/one_standby"

# Ways in which a command from a standby once differed from the ordinary one. Each program is run by the client, and
# then again, when a standby waits or is known to be of no use; both times it has to be what plain Ruby does.
class StandbyGuardsTest < TestCase
  include OneStandby

  # Runs the command until a standby waits or is unfit. Then, after the change, compares the command with plain Ruby's.
  # Returns what `status` tells.
  def assert_as_plain(from_standby: false, **options)
    before = @program.make(**options)
    hits = @program.hits
    yield if block_given?
    expected = @program.plain(**options).visible
    assert_equal expected, @program.run(**options).visible
    assert_equal(from_standby, @program.hits > hits, @program.status.inspect)
    before
  end

  def assert_unfit(why, boot, main = MAIN, files = {}, **options)
    program(boot, main, files)
    told = assert_as_plain(**options)
    assert_equal "unfit", told["state"], boot
    assert_match why, told["why"], boot
  end

  test "what a boot prints by a stream of the C library is an effect" do
    assert_unfit(/calls (fwrite|write)/, "warn 'a warning'\nX = 1\n")
    assert_unfit(/calls syscall\(1\)/, "syscall(1, 1, \"text\\n\", 5)\nX = 1\n") if RUBY_PLATFORM.start_with?("x86_64")
  end

  test "the program's own line is named: of an effect, and of what made a descriptor that stays" do
    {
      "warn 'a warning'" => "calls (?:fwrite|write|writev)",
      "require 'socket'; SOCKETS = UNIXSocket.pair" => "leaves .*UNIXSocket.* open",
      "PIPE = IO.pipe" => "leaves .* open",
      "FILE = File.open(File.join(__dir__, 'there'), 'r+')" => "leaves .*there.* open",
      "system('true')" => "calls (?:exec for .*true|fork|posix_spawn|vfork)"
    }.each do |code, why|
      program("# first line\n\n#{code}\nX = 1\n", MAIN, "there" => "")
      assert_match(/\Aits boot #{why} at #{@program.path("foo.rb")}:3\z/, @program.make["why"], code)
    end
    program("puts 'in a buffer'\nX = 1\n")
    assert_equal "its boot calls write", @program.make["why"]
    program("Thread.new { $stdout.syswrite(\"text\") }.join\nX = 1\n")
    assert_match(/\Aits boot calls write(v)?\z/, @program.make["why"])
  end

  test "a boot in a fiber or an enumerator" do
    assert_unfit(
      /another fiber/,
      "X = 1\n",
      "$LOAD_PATH.unshift __dir__\nFiber.new { require 'foo' }.resume\nputs :rest\n"
    )
    assert_unfit(
      /another fiber/,
      "X = 1\n",
      "$LOAD_PATH.unshift __dir__\nEnumerator.new { |found| require 'foo'; found << 1 }.next\nputs :rest\nexit 5\n"
    )
  end

  test "a boot that has started Coverage" do
    assert_unfit(
      /Coverage/,
      "require 'coverage'\nCoverage.start\nrequire 'counted'\nX = 1\n",
      "$LOAD_PATH.unshift __dir__\nrequire 'foo'\np Coverage.result.values.last\n",
      { "counted.rb" => "def x\n1\nend\nx\n" }
    )
  end

  test "a program that becomes another one with other variables" do
    program(
      "X = 1\n",
      "$LOAD_PATH.unshift __dir__\nrequire 'foo'\np ENV['MINE']\n",
      "wrap.rb" => "ENV['MINE'] = 'x'\nexec '#{RbConfig.ruby}', File.join(__dir__, 'foo')\n"
    )
    command = [RbConfig.ruby, @program.path("wrap.rb")]
    2.times { assert_equal "\"x\"\n", @program.make(*command).then { @program.run(*command).stdout } }
  end

  test "few descriptors, and those whose numbers the standby's own could have" do
    program("X = 1\n")
    assert_as_plain(from_standby: true, rlimit_nofile: 256)
    program(
      "X = 1\n",
      "$LOAD_PATH.unshift __dir__\nrequire 'foo'\np((3..12).map { |fd| IO.for_fd(fd).read rescue $!.class })\n",
      "text" => "text\n",
      "own" => "p((3..12).select { |fd| File.exist?(\"/proc/self/fd/\#{fd}\") })\n"
    )
    own = JSON.parse(@program.plain(RbConfig.ruby, @program.path("own")).stdout)
    served =
      (3..12).select do |number|
        options = { number => @program.path("text") }
        @program.run(**options)
        @program.settled
        hits = @program.hits
        assert_equal @program.plain(**options).visible, @program.run(**options).visible, "descriptor #{number}"
        @program.hits > hits
      end
    assert_empty [*3..12] - own - served
  end

  test "a program's log that is moved away and made again" do
    program(
      "LOG = File.open('log', 'a')\nLOG.sync = true\nLOG.puts 'boot'\nX = 1\n",
      "$LOAD_PATH.unshift __dir__\nrequire 'foo'\nLOG.puts 'command'\n",
      "log" => ""
    )
    @program.make
    File.rename(@program.path("log"), @program.path("log.1"))
    @program.write("log", "")
    @program.run
    assert_equal "boot\ncommand\n", File.read(@program.path("log"))
  end

  test "a link that leads nowhere, beside files that are not there" do
    program("X = %w[a b c l].map { |name| File.exist?(File.join(__dir__, 'd', name)) }\n", MAIN, "d/else" => "")
    File.symlink("../target", @program.path("d/l"))
    assert_as_plain { @program.write("target", "") }
  end

  test "another Ruby behind the same link" do
    program("X = 1\n")
    Dir.mkdir(@program.path("one"))
    Dir.mkdir(@program.path("two"))
    File.symlink(RbConfig.ruby, @program.path("one/ruby"))
    @program.write("two/ruby", "#!/bin/sh\necho another\n")
    File.chmod(0o755, @program.path("two/ruby"))
    File.symlink("one", @program.path("current"))
    File.write(@program.path("foo"), "#!#{@program.path("current")}/ruby\n#{MAIN}")
    sleep 0.03
    assert_as_plain do
      File.delete(@program.path("current"))
      File.symlink("two", @program.path("current"))
    end
  end

  test "another folder under the name of the working directory, or of one that the boot has changed to" do
    program("X = 1\n", "$LOAD_PATH.unshift __dir__\nrequire 'foo'\np Dir.children('.')\n", "work/old" => "")
    folder = @program.path("work")
    change =
      lambda do
        File.rename(folder, "#{folder}.0")
        Dir.mkdir(folder)
      end
    assert_as_plain(chdir: folder) { change.call }
    program(
      "Dir.chdir(File.join(__dir__, 'sub'))\nX = 1\n",
      "$LOAD_PATH.unshift __dir__\nrequire 'foo'\np Dir.children('.')\n",
      "sub/old" => ""
    )
    folder = @program.path("sub")
    assert_as_plain { change.call }
  end

  test "a boot that walks the environment, as Bundler does, has a standby" do
    program(
      "X = ENV.select { |name, _| name.start_with?('G') }.size + ENV.to_h.size\n",
      "$LOAD_PATH.unshift __dir__\nrequire 'foo'\np X > 3\n"
    )
    assert_as_plain(from_standby: true)
  end

  test "standard descriptors of which the boot asks whether they can be read, or which it changes" do
    assert_unfit(/calls (select|poll)/, "X = IO.select([$stdin], nil, nil, 0).nil?\n")
    assert_unfit(/calls fcntl/, "$stdin.close_on_exec = true\nX = 1\n")
    assert_unfit(/calls getpg/, "X = Process.getpgrp == Process.pid\n", "$LOAD_PATH.unshift __dir__\nrequire 'foo'\n")
  end

  test "copies of standard descriptors, which would be the standby's own" do
    assert_unfit(/calls fcntl/, "COPY = $stdout.dup\nX = 1\n", "#{MAIN}COPY.puts :copied\n")
    assert_unfit(
      /calls (dup2|dup3|fcntl)/,
      "COPY = File.open(File::NULL, 'w')\nCOPY.reopen($stdout)\nX = 1\n",
      "#{MAIN}COPY.puts :copied\n"
    )
    assert_unfit(/calls (dup|fcntl)/, "require 'open3'\nX = IO.for_fd(0, autoclose: false).clone.fileno > 2\n")
  end

  # Ruby itself makes none of these calls, so each is made as an extension would make it.
  FOREIGN = {
    "statvfs" => "CALL['statvfs', [S, P], __FILE__, BUFFER]",
    "getxattr" => "CALL['getxattr', [S, S, P, L], __FILE__, 'user.x', BUFFER, 99]",
    "glob" => "CALL['glob', [S, I, P, P], '/etc/*', 0, nil, BUFFER]",
    "readv" => "CALL['readv', [I, P, I], 0, BUFFER, 0]",
    "dup" => "CALL['dup', [I], 1]",
    "close_range" => "CALL['close_range', [I, I, I], 0, 0, 4]",
    "listen" => "CALL['listen', [I, I], 99, 1]",
    "mlockall" => "CALL['mlockall', [I], 1]",
    "getservbyname" => "CALL['getservbyname', [S, S], 'http', 'tcp']",
    "eventfd" => "CALL['eventfd', [I, I], 0, 0]",
    "pipe" => "CALL['pipe', [P], BUFFER]",
    "prctl" => "CALL['prctl', [I, L], 1, 0]",
    "getpriority" => "CALL['getpriority', [I, I], 0, 1]",
    "lockf" => "CALL['lockf', [I, I, L], 99, 3, 0]",
    "shmat" => "CALL['shmat', [I, P, I], -1, nil, 0]",
    "fcntl" => "CALL['fcntl', [I, I, I], 99, 5, 0]",
    "ioctl" => "CALL['ioctl', [I, L, P], 99, 0x5401, BUFFER]",
    "syslog" => "CALL['syslog', [I, S], 7, '']",
    "__overflow" =>
      "CALL['__overflow', [P, I], Fiddle::Handle::DEFAULT['stdout'].then { |at| Fiddle::Pointer.new(at).ptr }, 10]"
  }.freeze
  FIDDLE = <<~RUBY
    S = P = Fiddle::TYPE_VOIDP
    I, L = Fiddle::TYPE_INT, Fiddle::TYPE_LONG
    BUFFER = Fiddle.malloc(4096)
    CALL = lambda do |name, types, *arguments|
      Fiddle::Function.new(Fiddle::Handle::DEFAULT[name], types, Fiddle::TYPE_LONG).call(*arguments)
    end
  RUBY

  test "calls of extensions that no entry of the trace could answer for" do
    fiddle = require_fiddle
    FOREIGN.each do |name, call|
      program("#{fiddle}#{FIDDLE}#{call}\nX = 1\n")
      told = @program.make
      assert_match(/calls #{name}(?: from| at|\z)/, told["why"].to_s, name)
      assert_equal @program.plain.visible, @program.run.visible, name
    end
  end

  # (IO#stat has asked so since Ruby 4.0. A pipe has no path, by which a standby would ask for it again.)
  test "metadata of an open descriptor, by calls that take a path as well" do
    fiddle = "#{require_fiddle}#{FIDDLE}"
    [
      "'statx', [I, S, I, I, P], %s, '', 0x1000, 0x7ff, BUFFER",
      "'fstatat', [I, S, P, I], %s, '', BUFFER, 0x1000",
      "'faccessat', [I, S, I, I], %s, '', 4, 0x1000"
    ].each do |call|
      pipe = "IO.pipe.each { |pipe| CALL[#{format(call, "pipe.fileno")}].zero? or raise; pipe.close }\n"
      program("#{fiddle}#{pipe}X = File.open(__FILE__) { |file| file.stat.size }\n")
      assert_as_plain(from_standby: true)
      # (Standard input is another file for each command.)
      assert_unfit(/calls fstat/, "#{fiddle}CALL[#{format(call, 0)}]\nX = 1\n")
    end
  end

  # (Somebody ends all standbys, or empties the runtime folder, between the boot's fork and its first instruction.)
  test "a boot that has no trace, or no interposer, is not the command once more" do
    program("X = 1\n", "$LOAD_PATH.unshift __dir__\nrequire 'foo'\nFile.write(File.join(__dir__, 'effect'), '')\n")
    @program.make
    traces = ["/none", @program.path("foo.rb"), *Dir[File.join(@program.runtime, "warmstart-standby/*.trace")]]
    assert_equal 3, traces.size, "a trace of a standby that waits"
    interposer = File.join(File.dirname(StandbyProgram::CLIENT), "interposer.so")
    File.unlink(@program.path("effect"))
    [interposer, "/none.so"].product(traces) do |library, trace|
      environment = @program.environment.merge("LD_PRELOAD" => library, "WARMSTART_STANDBY_TRACE" => trace)
      @program.execute([@program.path("foo")], environment)
      refute_path_exists @program.path("effect"), [library, trace].inspect
    end
  end

  test "a FIFO that the boot reads, a copy from file to file" do
    program("X = File.read(File.join(__dir__, 'fifo'))\n", MAIN)
    File.mkfifo(@program.path("fifo"))
    2.times do
      writer = Thread.new { File.write(@program.path("fifo"), "text") }
      assert_equal "\"text\"\n", @program.run.stdout
      writer.join
      @program.settled
    end
    assert_match(/calls open for .*fifo/, @program.status.first["why"])
    assert_unfit(
      /calls (copy_file_range|sendfile|write)/,
      "File.open(File.join(__dir__, 'there'), 'r+') { |file| IO.copy_stream(File.join(__dir__, 'text'), file) }\nX = 1\n",
      MAIN,
      { "there" => "aaaa", "text" => "b" * 10_000 }
    )
  end

  # (outer.so needs libneeded.so, which it looks for in "one", then in "two". Or a library between the two looks for it
  # in "one" only, and then in the folders of outer.so.)
  test "a library that another one needs appears in a folder before its own" do
    processor = RUBY_PLATFORM[/\A[^-]+/]
    places = {
      "absent" => "one",
      "absent, as all of the library's own" => "one",
      "empty" => "one",
      "for some processors" => "one/glibc-hwcaps/x86-64-v2",
      "for some processors, as long ago" => "one/tls",
      "elsewhere" => "three"
    }
    fiddle = require_fiddle
    places.each do |where, place|
      next if processor != "x86_64" && where.include?("processors")

      program(
        "#{fiddle}X = Fiddle::Function.new(Fiddle.dlopen(File.join(__dir__, 'outer.so'))['outer'], [], Fiddle::TYPE_INT).call\n"
      )
      folder = @program.folder
      shared = ->(path, code, *more) do
        system(
          "cc",
          "-shared",
          "-fPIC",
          "-o",
          File.join(folder, path),
          "-x",
          "c",
          "-",
          *more,
          in: IO.popen(["printf", "%s", code])
        ) || flunk("cc")
      end
      FileUtils.mkdir_p(
        %w[two new].map { |name| File.join(folder, name) } +
          (where.start_with?("absent") ? [] : [File.join(folder, File.dirname(place)), File.join(folder, "one")])
      )
      shared.call("two/libneeded.so", "int answer(void) { return 2; }")
      shared.call("new/libneeded.so", "int answer(void) { return 1; }")
      needed, folders = "needed", "#{folder}/one:#{folder}/two"
      if where.include?("own")
        code = "int answer(void); int between(void) { return answer(); }"
        path = "-Wl,--disable-new-dtags,-rpath,#{folder}/one"
        shared.call("two/libbetween.so", code, "-L#{folder}/two", "-lneeded", path)
        needed, folders = "between", "#{folder}/two"
      end
      shared.call(
        "outer.so",
        "int outer(void) { return #{needed == "between" ? needed : "answer"}(); }",
        "-Wno-implicit-function-declaration",
        "-L#{folder}/two",
        "-l#{needed}",
        "-Wl,--#{needed == "between" ? "disable" : "enable"}-new-dtags,-rpath,#{folders}"
      )
      sleep 0.03
      assert_as_plain(from_standby: place == "three") do
        assert_equal "2\n", @program.plain.stdout
        FileUtils.mkdir_p(File.join(folder, place))
        FileUtils.mv(File.join(folder, "new/libneeded.so"), File.join(folder, place))
      end
      # (The C library looks there up to 2.36.)
      assert_equal place == "three" ? "2\n" : "1\n", @program.plain.stdout, where unless where.include?("long ago")
    end
  end

  test "a library that appears where the dynamic linker has looked in vain" do
    program(
      "#{require_fiddle}X = begin Fiddle.dlopen(File.join(__dir__, 'lib.so')).class.name rescue LoadError, StandardError; $!.class.name end\n"
    )
    library = File.read("/proc/self/maps")[%r{/\S*/libm\.so[.\d]*|/\S*/libm-\S+\.so}] or
      skip "this Ruby has not loaded libm"
    assert_as_plain { FileUtils.cp(library, @program.path("lib.so")) }
  end

  # (The hook keeps the child in the middle of the hand-over; the client forwards from then on.)
  test "a signal that comes while the command is handed over" do
    hook =
      "module Hook\n  def _fork = super.tap { |pid| sleep 0.5 if pid.zero? }\nend\nProcess.singleton_class.prepend(Hook)\n"
    program(
      "#{hook}X = 1\n",
      "$LOAD_PATH.unshift __dir__\ntrap(:USR1) { puts :signal; exit 3 }\nrequire 'foo'\nsleep 5\np X\n"
    )
    @program.make
    pid =
      Process.spawn(
        @program.environment,
        StandbyProgram::CLIENT,
        "--",
        @program.path("foo"),
        chdir: @program.folder,
        unsetenv_others: true,
        in: File::NULL,
        out: File::NULL
      )
    usr1 = 1 << (Signal.list["USR1"] - 1)
    sleep 0.002 while (File.read("/proc/#{pid}/status")[/SigCgt:\s*(\h+)/, 1].hex & usr1).zero?
    Process.kill(:USR1, pid)
    _, status = Process.wait2(pid)
    assert_equal [1, 3], [@program.hits, status.exitstatus]
  end

  test "a log that grows does not make a boot that is of no use again" do
    program(
      "log = File.join(__dir__, 'log')\nFile.stat(log)\nLOG = File.open(log, 'a')\nThread.new { sleep }\nX = 1\n",
      "#{MAIN}LOG.puts 1\n",
      "log" => ""
    )
    assert_equal "unfit", @program.make["state"]
    trace = Dir[File.join(@program.runtime, "**/*.trace")].fetch(0)
    inode = File.stat(trace).ino
    2.times { @program.run }
    @program.settled
    assert_equal [inode, "1\n" * 3], [File.stat(trace).ino, File.read(@program.path("log"))]
  end

  # (A child that has waited for ten seconds for the client's "g" ends. A server of ours stands for the standby.)
  def never_begun
    pid = @program.make["pid"]
    socket = Dir[File.join(@program.runtime, "**/*.socket")].fetch(0)
    File.unlink(socket)
    magic, child = 0x57535421, Process.spawn("sleep 60")
    # (A socket's whole path has 107 bytes at most.)
    server = Dir.chdir(File.dirname(socket)) { UNIXServer.new(File.basename(socket)) }
    File.chmod(0o600, socket)
    File.binwrite(Dir[File.join(@program.runtime, "**/*.trace")].fetch(0), [Process.pid].pack("L"), 12)
    standby =
      Thread.new do
        client = server.accept
        _, _, client_pid, _, _, descriptors, environment = client.recvmsg(32).first.unpack("L8")
        client.read(4 * descriptors + environment)
        client.write([magic, child, 0, 0].pack("Lll2"))
        client.read(1)
        yield client_pid if block_given?
        client.write([magic, 0, 0, 0].pack("Lll2"))
        client.close
        :forked
      rescue Errno::EPIPE
        :forked # (the client has given it up)
      end
    start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    run = @program.run
    @seconds = Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
    assert_equal :forked, standby.value
    run
  ensure
    [child, pid].compact.each { |process| Process.kill(:KILL, process) }
    server&.close
  end

  test "a command that was forked and has never begun is run by the client" do
    program("X = 1\n")
    assert_equal @program.plain.visible, never_begun.visible
  end

  test "a command that was forked and does not answer is run by the client" do
    program("X = 1\n")
    assert_equal @program.plain.visible, never_begun { sleep 8 }.visible
    assert_operator @seconds, :<, 8
  end

  test "a signal for a command that was forked and has never begun" do
    program("X = 1\n")
    run = never_begun { |client| Process.kill(:USR1, client) and sleep 0.1 }
    assert_equal ["signal #{Signal.list["USR1"]}", ""], [run.status, run.stdout]
  end

  test "first commands at once leave one standby, many commands leave three" do
    program("X = 1\n", "$LOAD_PATH.unshift __dir__\nrequire 'foo'\nsleep ARGV.first.to_f\n")
    [0, 0.4, 0.8].map { |time| Thread.new { @program.run(@program.path("foo"), "0", env: {}) && sleep(time) } }
      .each(&:join)
    @program.settled
    sleep 1
    assert eventually { @program.status.size == 1 }, @program.status.inspect
    6.times { |number| @program.make(@program.path("foo"), "0.0#{number}") }
    sleep 0.5
    assert eventually { @program.status.count { |one| one["state"] == "waits" } <= 3 }, @program.status.inspect
  end

  test "a standby that is stopped is ended, and whoever reads from the command does not wait for it" do
    program("X = 1\n")
    pid = @program.make["pid"]
    Process.kill(:STOP, pid)
    assert_equal "1\n",
                 IO.popen(
                   @program.environment,
                   "#{StandbyProgram::CLIENT} -- ./foo </dev/null | cat",
                   chdir: @program.folder,
                   unsetenv_others: true,
                   &:read
                 )
  end

  test "a client that the standby refuses leaves it alone" do
    program("KEPT = File.open(__FILE__)\nX = KEPT.fileno\n", "$LOAD_PATH.unshift __dir__\nrequire 'foo'\np X.class\n")
    pid = @program.make["pid"]
    number =
      File.readlink("/proc/#{pid}/fd/3") &&
        Dir
          .children("/proc/#{pid}/fd")
          .map(&:to_i)
          .find { |fd| File.readlink("/proc/#{pid}/fd/#{fd}").end_with?("/foo.rb") }
    assert_equal @program.plain(number => File::NULL).visible, @program.run(number => File::NULL).visible
    assert_equal pid, @program.status.first["pid"]
    assert_equal 0, @program.hits
  end

  test "a locale and a list of conversions that change" do
    { "LOCPATH" => "xx/LC_CTYPE", "GCONV_PATH" => "gconv-modules" }.each do |variable, name|
      program("X = 1\n", MAIN, "data/#{name}" => "one")
      env = { variable => @program.path("data") }
      @program.make(env: env)
      @program.run(env: env)
      assert_equal 1, @program.hits, variable
      assert_as_plain(env: env) { @program.write("data/#{name}", "two") }
    end
    program("X = 1\n", MAIN, "elsewhere/LC_CTYPE" => "one", "data/file" => "")
    File.symlink("../elsewhere", @program.path("data/xx"))
    assert_as_plain(env: { "LOCPATH" => @program.path("data") }) { @program.write("elsewhere/LC_CTYPE", "two") }
  end

  test "WARMSTART_LOG with the first command" do
    program("X = 1\n")
    assert_as_plain(from_standby: true, env: { "WARMSTART_LOG" => "1" })
  end

  test "a standby whose folder is removed ends" do
    program("X = 1\n", MAIN, "work/file" => "")
    pid = @program.make(chdir: @program.path("work"))["pid"]
    FileUtils.rm_rf(@program.path("work"))
    # (It looks once a minute, and whenever somebody comes.)
    socket = Dir[File.join(@program.runtime, "**/*.socket")].fetch(0)
    Dir.chdir(File.dirname(socket)) { UNIXSocket.new(File.basename(socket)).close }
    sleep 0.02 while @program.left.include?(pid)
  end

  test "status removes what a killed standby has left" do
    program("X = 1\n")
    pid = @program.make["pid"]
    guard = File.read("/proc/#{pid}/stat")[/\) \w (\d+)/, 1].to_i
    [guard, pid].each { |process| Process.kill(:KILL, process) }
    sleep 0.02 while @program.left.any?
    assert_empty @program.status
    assert_empty Dir[File.join(@program.runtime, "**/*.{trace,socket}")]
  end

  test "somebody who connects and says nothing keeps nobody waiting" do
    program("X = 1\n")
    @program.make
    socket = Dir[File.join(@program.runtime, "**/*.socket")].fetch(0)
    silent = Dir.chdir(File.dirname(socket)) { UNIXSocket.new(File.basename(socket)) }
    assert_equal @program.plain.visible, @program.run.visible
    # (One that is busy with the silent one does not answer at once.)
    assert eventually { @program.status.size == 1 }, @program.status.inspect
  ensure
    silent&.close
  end

  # Starts a command that waits, from its standby and without a terminal, in a process group that the kernel lets be
  # stopped (its parent is in the session). Yields the client and the command's process.
  def with_running(main)
    program(
      "X = 1\n",
      "$LOAD_PATH.unshift __dir__\nrequire 'foo'\n$stdout.sync = true\n#{main}puts $$\nsleep 0.01 while File.exist?('wait')\n"
    )
    @program.make("./foo")
    @program.write("wait", "")
    reader, writer = IO.pipe
    client =
      Process.spawn(
        @program.environment,
        StandbyProgram::CLIENT,
        "--",
        "./foo",
        chdir: @program.folder,
        unsetenv_others: true,
        in: File::NULL,
        out: writer,
        pgroup: true
      )
    writer.close
    command = Integer(reader.gets)
    refute_equal client, command, @program.status.inspect
    yield client, command
  ensure
    [client, command].compact.each do |pid|
      begin
        Process.kill(:KILL, pid)
      rescue StandardError
        nil
      end
    end
    begin
      Process.wait(client)
    rescue StandardError
      nil
    end
  end

  def state(pid) = File.read("/proc/#{pid}/stat")[/\) (\w)/, 1]

  test "a client that is stopped without a terminal stops the command, and goes on with it" do
    with_running("") do |client, command|
      Process.kill(:TSTP, client)
      assert_predicate Process.wait2(client, Process::WUNTRACED).last, :stopped?
      sleep 0.01 until state(command) == "T"
      Process.kill(:CONT, client)
      sleep 0.01 while [client, command].any? { |pid| state(pid) == "T" }
      Process.kill(:TERM, client)
      assert_equal Signal.list["TERM"], Process.wait2(client).last.termsig
    end
  end

  test "a command that handles SIGTSTP is not stopped, nor is its client" do
    with_running("trap(:TSTP) { File.unlink('wait') }\n") do |client, _|
      Process.kill(:TSTP, client)
      assert_equal 0, Process.wait2(client, Process::WUNTRACED).last.exitstatus
    end
  end

  # What a command can be given that it may have asked for while it booted. Whatever it is, the command is as in plain
  # Ruby: at once, and from the standby that was made meanwhile.
  GIVEN = {
    "a variable that the boot reads" => {
      env: {
        "READ" => "two"
      }
    },
    "a variable that nobody reads" => {
      env: {
        "UNREAD" => "1"
      }
    },
    "a variable that only the command reads" => {
      env: {
        "LATER" => "1"
      }
    },
    "TZ" => {
      env: {
        "TZ" => "Asia/Tokyo"
      }
    },
    "another folder" => {
      chdir: "elsewhere"
    },
    "umask" => {
      umask: 0o077
    },
    "a variable for Ruby itself" => {
      env: {
        "RUBYLIB" => "elsewhere"
      }
    }
  }.freeze

  test "a command that is given another variable, time zone, folder or umask is as in plain Ruby, at once and from its standby" do
    boot = <<~RUBY
      def told = [ENV["READ"], Time.at(0).to_s, Dir.pwd, File.umask, File.exist?("here"), $:.grep(/elsewhere/)]
      X = told
    RUBY
    program(
      boot,
      "#{MAIN}p told, ENV['LATER'], ENV['UNREAD']\nFile.write(File.join(__dir__, 'made'), '')\np File.stat(File.join(__dir__, 'made')).mode\n",
      "elsewhere/here" => ""
    )
    first = { env: { "READ" => "one", "TZ" => "UTC" } }
    run =
      lambda do |way, chdir: nil, env: {}, **options|
        FileUtils.rm_f(@program.path("made"))
        @program.public_send(way, env: first[:env].merge(env), chdir: @program.path(chdir || "."), **options).visible
      end
    # (Three standbys are left, so one of another command may have ended, whose commands do not count any more.)
    served =
      lambda do |what, expected, options|
        deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + Program.patience(20)
        loop do
          before = answered
          assert_equal expected, run.call(:run, **options), what
          return if answered.any? { |pid, count| count > before.fetch(pid, 0) }

          flunk "#{what}: no standby: #{@program.status}" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
          sleep 0.1
        end
      end
    served.call("the first command", run.call(:plain, **first), first)
    GIVEN.each do |what, options|
      expected = run.call(:plain, **options)
      before = answered
      assert_equal expected, run.call(:run, **options), what
      now = answered
      assert_equal before.slice(*now.keys), now.slice(*before.keys), what
      served.call(what, expected, options)
    end
    served.call("the first command", run.call(:plain, **first), first)
  end

  # How many commands came from each standby.
  def answered = @program.status.to_h { |one| one.values_at("pid", "commands") }

  ENDS = {
    "raise ArgumentError, 'text'" => 1,
    "fail_below" => 1,
    "exit 3" => 3,
    "exit! 4" => 4,
    "abort 'text'" => 1,
    "throw :nothing" => 1,
    "Process.kill(:TERM, $$); sleep" => "signal 15",
    "at_exit { exit 9 }; raise 'text'" => 9,
    "Process.kill(:KILL, $$); sleep" => "signal 9",
    "raise Interrupt" => "signal 2",
    "Integer('x') rescue raise 'again'" => 1,
    "" => 0
  }.freeze

  test "errors' texts, statuses, and the order of exit handlers are those of plain Ruby" do
    boot = "at_exit { puts 'the first handler' }\ndef fail_below = [1].each { |one| raise IOError, one.to_s }\nX = 1\n"
    main =
      "#{MAIN}at_exit { puts 'the last handler' }\np [__method__, caller, __FILE__ == $0, $0, $PROGRAM_NAME, self.to_s, DATA.read], $LOADED_FEATURES.grep(/foo/)\n$stdout.flush\neval(ARGV.fetch(0), binding, __FILE__, __LINE__)\n__END__\ntext\n"
    ENDS.each do |code, status|
      @program || program(boot, main)
      # (One command is one standby, so these are the same file with another text.)
      @program.write("foo", main.sub("ARGV.fetch(0)", code.dump))
      sleep 0.03
      told = assert_as_plain(from_standby: true)
      assert_equal "waits", told["state"], code
      assert_equal status, @program.run.status, code
    end
  end

  test "random numbers are made anew for each command" do
    program(
      "require 'securerandom'\nX = [rand, SecureRandom.hex, Random.new.rand].size\n",
      "#{MAIN}p rand, Random.rand, Random.new.rand, Random.new_seed, SecureRandom.hex, [*1..50].shuffle\n"
    )
    @program.make
    numbers = Array.new(3) { @program.run.stdout.lines.drop(1) }
    assert_equal [3, 18], [@program.hits, numbers.flatten.uniq.size]
  end

  # The lines are those of a shell, FOO is the command. (Without --foreground, timeout signals the command and then its
  # process group, the command once more: in plain Ruby, too, it is chance whether those two are one.)
  # SECONDS: in which the command begins to wait.
  SECONDS = Program.patience(2).ceil.clamp(2, 10)
  LINES = {
    "timeout --foreground SECONDS FOO wait; echo $?" => true,
    "timeout --foreground -s INT SECONDS FOO wait; echo $?" => true,
    "timeout -s KILL SECONDS FOO wait; echo $?" => true,
    "FOO long | head -n 2; echo ${PIPESTATUS[0]}" => true,
    "FOO long 2>&1 | head -n 1 | cat; echo ${PIPESTATUS[*]}" => true,
    "FOO > /dev/full; echo $?" => true,
    "yes | FOO reads | tail -n 1; echo ${PIPESTATUS[*]}" => true,
    "echo $(FOO 2>&1)" => true,
    "FOO >&-; echo $?" => false,
    "FOO 2>&- <&-; echo $?" => false
  }.freeze

  test "a time limit, a reader that goes, a full disk and a closed descriptor are as in plain Ruby" do
    program("X = 1\n", <<~RUBY)
      $LOAD_PATH.unshift __dir__
      require 'foo'
      at_exit { File.write(File.join(__dir__, 'ended'), $!.class.name) }
      puts "first line"
      ARGV.include?("long") ? 100_000.times { |number| puts "line \#{number}" } : puts("second")
      p $stdin.gets if ARGV.include?("reads")
      $stderr.puts "on stderr"
      $stdout.flush
      sleep if ARGV.include?("wait") && File.exist?("wait")
    RUBY
    # (Whoever ends by a time limit ends what makes its standby, too: timeout kills its process group.)
    LINES.each do |line, from_standby|
      run =
        lambda do |before, environment|
          FileUtils.rm_f(@program.path("ended"))
          said =
            @program.execute(
              ["bash", "-c", line.sub("SECONDS", SECONDS.to_s).sub("FOO", "#{before}#{@program.path("foo")}")],
              environment
            ).visible
          # (KILL ends the client, and the standby tells the command. The shell prints whom it has seen killed.)
          [
            said[0],
            said[1].lines.grep_v(/^bash: .* Killed /),
            said[2],
            (File.read(@program.path("ended")) unless line.include?("KILL"))
          ]
        end
      by_client = -> { run.call("#{StandbyProgram::CLIENT} -- ", @program.environment) }
      FileUtils.rm_f(@program.path("wait"))
      2.times { by_client.call && @program.settled } if from_standby
      @program.write("wait", "")
      expected = run.call("", @program.environment.reject { |name, _| name.match?(/WARMSTART|RUBYOPT/) })
      before = answered
      assert_equal expected, by_client.call, line
      assert_equal from_standby,
                   answered.any? { |pid, count| count > before.fetch(pid, 0) },
                   "#{line}: #{@program.status}"
      Program.patience(50).to_i.times { commands.any? ? sleep(0.1) : break }
      assert_empty commands, line
    end
  end

  # Commands that still run. (A standby that waits has the same name; what makes it has the client's.)
  def commands
    mine =
      Dir["/proc/[0-9]*/cmdline"]
        .select do |path|
          begin
            File.read(path).match?(/\A(?!#{StandbyProgram::CLIENT}).*#{@program.path("foo")}\0/)
          rescue StandardError
            false
          end
        end
        .map { |path| path[/\d+/].to_i }
    mine - @program.status.map { |one| one["pid"] }
  end

  test "warmstart exec --standby runs a command by the client" do
    program("X = 1\n", "#{MAIN}p ARGV, $stdin.read\nexit 3\n")
    @program.environment.delete("RUBYOPT")
    run = -> do
      @program.execute(
        [
          RbConfig.ruby,
          File.join(Program::REPOSITORY, "exe/warmstart"),
          "exec",
          "--standby",
          "--",
          @program.path("foo"),
          "a b"
        ],
        @program.environment,
        stdin: "in"
      )
    end
    expected = @program.plain(@program.path("foo"), "a b", stdin: "in").visible
    assert_equal expected, run.call.visible
    assert_equal "waits", @program.settled["state"]
    assert_equal expected, run.call.visible
    assert_equal 1, @program.hits
  end

  test "servers have no standby" do
    program("X = 1\n")
    why = ->(*command) do
      @program.execute([StandbyProgram::CLIENT, "--why", "--", *command], @program.environment).stdout
    end
    [
      %w[bin/rails server],
      %w[rails s -p 1],
      %w[bundle exec puma],
      %w[ruby bin/rails s],
      %w[bin/jobs],
      %w[./bin/jobs start],
      %w[ruby bin/jobs]
    ].each { |command| assert_equal "not from a standby: a server starts once, so it has none\n", why.call(*command) }
    # (Any program may be called so.)
    [%w[bin/rails runner s], %w[jobs], %w[./jobs], %w[cabin/jobs]].each do |command|
      refute_match(/a server/, why.call(*command), command.join(" "))
    end
  end

  test "fork hooks see the command's descriptors and variables" do
    hook =
      "module Hook\n  def _fork = super.tap { |pid| pid.zero? && (puts \"hook \#{ENV['OLDPWD']}\") }\nend\nProcess.singleton_class.prepend(Hook)\n"
    program("#{hook}X = 1\n", MAIN)
    @program.make(env: { "OLDPWD" => "/one" })
    assert_equal "hook /two\n1\n", @program.run(env: { "OLDPWD" => "/two" }).stdout # (the hook itself is told in docs/standby.md)
  end

  test "what a fork hook raises or throws in the standby does not make that go on as the program" do
    effect = "File.write(__dir__ + '/effects', 'x', mode: 'a')"
    {
      "raise IOError" => "begin; require 'foo'; rescue StandardError; end",
      "raise Interrupt" => "at_exit { #{effect} }; require 'foo'",
      "throw :out" => "catch(:out) { require 'foo' }",
      "exit" => "at_exit { #{effect} }; require 'foo'"
    }.each do |leaves, requires|
      program(<<~BOOT, "$LOAD_PATH.unshift __dir__\n#{requires}\n#{effect}\nputs :done\n")
        Process.singleton_class.prepend(Module.new { def _fork = super.tap { |pid| #{leaves} unless pid.zero? } })
      BOOT
      @program.make
      File.write(@program.path("effects"), "")
      expected = @program.plain.visible
      effects = File.size(@program.path("effects"))
      2.times { assert_equal expected, @program.run.visible, leaves }
      sleep 0.3 # (for what a standby would do behind the command's back)
      assert_equal 3 * effects, File.size(@program.path("effects")), leaves
    end
  end

  # (A fork flushes both: prefork in process.c.)
  test "another object in the place of $stdout or $stderr is flushed as in plain Ruby" do
    [
      "class Out; def write(*parts) = STDOUT.write(*parts); end\n$stdout = Out.new\nX = 1\n",
      "class Out; def write(*parts) = STDERR.write(*parts); end\n$stderr = Out.new\nX = 1\n",
      <<~BOOT
        class Out
          def write(*parts) = (@text = [*@text, *parts]; parts.sum(&:size))
          def flush = (STDOUT.write(*@text); @text = nil)
        end
        $stdout = Out.new
        at_exit { $stdout.flush }
        puts "booted"
        X = 1
      BOOT
    ].each { |boot| assert_unfit(/another object in the place of \$stdout or \$stderr/, boot) }
  end

  test "an IO that was never opened is no obstacle" do
    program("KEPT = [IO.allocate, File.allocate]\nX = 1\n")
    assert_as_plain(from_standby: true)
  end

  test "whoever adopts orphans, or may be in a sandbox, has no standby" do
    program("X = 1\n")
    setpriv = system("setpriv", "--version", out: File::NULL, err: File::NULL) or missing("setpriv")
    assert setpriv
    assert_equal "1\n",
                 @program.execute(
                   ["setpriv", "--no-new-privs", StandbyProgram::CLIENT, "--", @program.path("foo")],
                   @program.environment
                 ).stdout
    sleep 0.5
    assert_empty @program.status
  end
end
