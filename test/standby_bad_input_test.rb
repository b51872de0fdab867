# frozen_string_literal: true

require "socket"
require_relative "test_helper"
require_relative "support/standby_program"
require_relative "attack/standby_interposer"

# Whatever happens to a standby or its client: the command runs once, and prints and returns what it does in plain Ruby.
class StandbyBadInputTest < TestCase
  SCRIPT = "$:.unshift __dir__ + '/lib'\nrequire 'foo'\n"
  FILES = { "foo" => "#{SCRIPT}p X, ARGV\n", "lib/foo.rb" => "X = 1\n" }.freeze

  def setup
    skip "Linux only" unless RUBY_PLATFORM.include?("linux")
    @programs = []
  end

  def teardown
    @programs&.each(&:stop)
  end

  def standby(files = FILES) =
    StandbyProgram
      .new(temporary_folder, files)
      .tap do |program|
        sleep(0.03)
        @programs << program
      end

  # The command is never served: what it prints is what plain Ruby prints, what it does is done once a command, and
  # --status names the reason.
  def assert_never_served(program, why, times: 3, &after)
    expected = program.plain.visible
    after&.call
    times.times do
      assert_equal expected, program.run.visible
      entry = program.settled
      assert_equal "unfit", entry["state"], entry.inspect
      assert_match why, entry["why"]
      after&.call
    end
    assert_equal 0, program.hits
  end

  test "a command comes from a standby the second time" do
    program = standby
    assert_equal ["1\n[]\n", "", 0], program.run.visible
    assert_equal "waits", program.settled["state"]
    assert_equal ["1\n[]\n", "", 0], program.run.visible
    assert_equal 1, program.hits
    assert_empty program.stop
  end

  # Each: what a boot does, and the reason that --status shows.
  {
    "leaves a thread" => ["Thread.new { sleep }", /leaves a thread/],
    "leaves a socket" => ["require 'socket'; A, B = UNIXSocket.pair", /leaves .*open/],
    "leaves a pipe" => ["A, B = IO.pipe", /leaves .*open/],
    "leaves a file open for writing" => ["F = File.open(__dir__ + '/there', 'r+')", /leaves .*there.* open/],
    "forks" => ["Process.wait(fork { })", /fork/],
    "daemonises" => ["Process.daemon(true, true)", /fork|daemon/],
    "runs a program" => ["system('echo out')", /exec|spawn|fork/],
    "reads a program's output" => ["O = `echo out`", /exec|spawn|fork/],
    "writes a file" => ["File.write(__dir__ + '/new', 'x')", /open .*new/],
    "prints" => ["puts 'at boot'", /write/],
    "prints on stderr" => ["$stderr.puts 'at boot'", /write/],
    "connects" => ["require 'socket'; (TCPSocket.new('127.0.0.1', 1) rescue 1)", /connect|getaddrinfo/],
    "empties a file through a link" => ["File.open(__dir__ + '/link', 'w') { }", /open .*link/],
    # (the ordinary command has made them when the standby boots, and then there is no effect, until they are gone)
    "makes a file through a link that leads nowhere" => ["File.open(__dir__ + '/nowhere', 'a') { }", nil],
    "makes a folder" => ["Dir.mkdir(__dir__ + '/new') rescue 1", nil],
    "sends stdout elsewhere" => ["$stdout.reopen(__dir__ + '/there', 'a')", /reopen|dup/],
    "closes stdin's descriptor" => [
      "IO.for_fd(0, autoclose: true).close; require 'fiddle'; Fiddle::Function.new(Fiddle.dlopen(nil)['close'], [Fiddle::TYPE_INT], Fiddle::TYPE_INT).call(0)",
      /close|fcntl/ # (Ruby asks first how it is open)
    ],
    "locks a file" => ["F = File.open(__dir__ + '/there'); F.flock(File::LOCK_EX)", /flock/],
    "reads stdin by its name" => ["D = File.read('/dev/stdin')", /open/],
    "asks for the terminal's size" => ["require 'io/console'; W = ($stdout.winsize rescue 1)", /ioctl/],
    "asks for the network's addresses" => ["require 'socket'; Socket.ip_address_list", /getifaddrs/],
    "asks who its parent is" => ["P = Process.ppid", /getppid/],
    "writes to a file's memory" => [
      "require 'fiddle'; F = File.open(__dir__ + '/there', 'r+'); " \
        "Fiddle::Function.new(Fiddle.dlopen(nil)['mmap'], [Fiddle::TYPE_VOIDP, Fiddle::TYPE_SIZE_T, *[Fiddle::TYPE_INT] * 3, Fiddle::TYPE_LONG], Fiddle::TYPE_VOIDP).call(nil, 5, 3, 1, F.fileno, 0); F.close",
      /mmap/
    ]
  }.each do |title, (code, why)|
    test "a boot that #{title} is never served, and has its effect once" do
      code = code.sub("require 'fiddle';") { require_fiddle }
      program = standby(FILES.merge("foo" => "#{SCRIPT}puts :end\n", "lib/foo.rb" => "#{code}\nX = 1\n"))
      names = %w[there target]
      restore =
        lambda do
          names.each { |name| program.write("lib/#{name}", "first") }
          FileUtils.rm_rf([program.path("lib/new"), program.path("lib/missing")])
        end
      state = -> do
        Dir
          .children(program.path("lib"))
          .sort
          .to_h do |name|
            [
              name,
              (
                begin
                  File.read(program.path("lib/#{name}"))
                rescue StandardError
                  nil
                end
              )
            ]
          end
      end
      restore.call
      File.symlink("target", program.path("lib/link"))
      File.symlink("missing", program.path("lib/nowhere"))
      plain = program.plain
      expected = state.call
      3.times do
        restore.call
        sleep 0.03
        run = program.run
        assert_equal plain.visible, run.visible
        entry = program.settled
        assert_equal expected, state.call
        assert_equal why ? "unfit" : "waits", entry["state"], entry.inspect
        assert_match why, entry["why"] if why
        assert_equal 0, program.hits
      end
    end
  end

  test "a trace with random bytes, or cut short, leads to the ordinary command" do
    program = standby
    expected = program.plain.visible
    random = Random.new(1)
    24.times do |number|
      program.make if program.status.none? { |one| one["state"] == "waits" }
      trace = Dir[File.join(program.runtime, "*/*.trace")].fetch(0)
      used = File.binread(trace, 8, 16).unpack1("Q")
      case number % 4
      when 0
        File.truncate(trace, random.rand(used))
      when 1
        File.binwrite(trace, random.bytes(8), 16)
      else
        File.binwrite(trace, random.bytes(1 + random.rand(32)), random.rand(used - 40))
      end
      assert_equal expected, program.run.visible, "case #{number}"
      assert_equal 0, program.execute([StandbyProgram::CLIENT, "--inputs"], program.environment).status
      program.stop
      FileUtils.rm_rf(Dir[File.join(program.runtime, "*/*")])
    end
  end

  test "the standby is killed before a command, and while one runs" do
    program = standby(FILES.merge("foo" => <<~RUBY))
            #{SCRIPT}$stdout.sync = true
            p X
            File.write(__dir__ + "/begun", "") if File.exist?(__dir__ + "/slow")
            sleep 0.01 while File.exist?(__dir__ + "/slow")
            puts :end
          RUBY
    program.make
    Process.kill(:KILL, program.status.first["pid"])
    assert_equal ["1\nend\n", "", 0], program.run.visible
    program.make
    program.write("slow", "")
    pid = program.settled["pid"]
    killer =
      Thread.new do
        Program.patience(1000).to_i.times { File.exist?(program.path("begun")) ? break : sleep(0.01) }
        Process.kill(:KILL, pid)
        sleep Program.patience(0.2) # (the client says it on the command's stderr, if the command still runs)
        File.unlink(program.path("slow"))
      end
    run = program.run
    killer.join
    assert_equal ["1\nend\n", 1], [run.stdout, run.status]
    assert_match(/\Awarmstart: the standby was killed; the command's exit status is lost\n\z/, run.stderr)
  end

  # Calls of the hand-over (test/attack/standby_faults.c), in their order: whose call of which function, and who is
  # killed then. The status is lost only when the command has begun.
  HAND_OVER = [
    ["standby", "accept4", 1, :kill],
    ["standby", "recvmsg", 1, :kill],
    ["standby", "fork", 1, :kill],
    ["standby", "send", 1, :kill],
    ["standby", "send", 1, :kill_after],
    ["client", "recv", 1, :kill_standby],
    ["child", "recv", 1, :kill],
    ["child", "recv", 1, :kill_standby],
    ["child", "send", 1, :kill],
    ["child", "send", 1, :kill_standby],
    ["client", "recv", 3, :kill_standby]
  ].freeze

  test "a standby or its child is killed at each call of the hand-over" do
    program =
      standby(
        FILES.merge("foo" => "#{SCRIPT}p X\nFile.write(__dir__ + '/effects', \"one\\n\", mode: 'a')\nsleep 0.3\n")
      )
    faults = Attack::StandbyInterposer.new(File.join(program.base, "faults"))
    program.environment.merge!(faults.environment)
    lost =
      HAND_OVER.count do |point|
        program.make
        FileUtils.rm_f(program.path("effects"))
        faults.arm(*point[0, 3], action: point[3])
        run = program.run
        assert faults.hit, "there is no such call: #{point}"
        faults.disarm
        assert_equal "one\n", File.read(program.path("effects")), point.inspect
        lost = run.stderr == "warmstart: the standby was killed; the command's exit status is lost\n"
        assert_equal ["1\n", "", lost ? 1 : 0], run.visible, point.inspect
        assert_equal ["1\n", "", 0], program.run.visible
        program.stop
        lost
      end
    assert_includes 1..5, lost
  end

  test "30 commands at once" do
    program = standby
    program.make
    runs = Array.new(30) { Thread.new { program.run.visible } }.map(&:value)
    assert_equal [["1\n[]\n", "", 0]], runs.uniq
  end

  test "the client is killed: the command is told" do
    program =
      standby(
        FILES.merge(
          "foo" =>
            "#{SCRIPT}$stdout.sync = true\ntrap(:HUP) { File.write(__dir__ + '/told', ''); exit }\nputs X\nsleep 20 if File.exist?(__dir__ + '/slow')\n"
        )
      )
    program.make
    program.write("slow", "")
    client =
      IO.popen(
        program.environment,
        [StandbyProgram::CLIENT, "--", program.path("foo")],
        unsetenv_others: true,
        chdir: program.folder,
        in: File::NULL,
        err: File::NULL
      )
    client.gets
    assert_equal 1, program.hits, program.status.inspect
    Process.kill(:KILL, client.pid)
    Process.wait(client.pid)
    100.times { File.exist?(program.path("told")) ? break : sleep(0.05) }
    assert_path_exists program.path("told")
  end

  test "a full disk in the runtime folder" do
    program = standby
    on_small_disk(program.runtime, kilobytes: 4) do
      File.write(File.join(program.runtime, "full"), "x" * 4096)
      2.times { assert_equal ["1\n[]\n", "", 0], program.run.visible }
    end
  end

  # (A page that the disk has no room for kills whoever touches it by SIGBUS.)
  test "a disk that fills up while the standby boots" do
    program = standby
    [8, 12, 16, 24].each do |kilobytes|
      on_small_disk(program.runtime, kilobytes: kilobytes) do
        3.times { assert_equal ["1\n[]\n", "", 0], program.run.visible && program.tap { sleep 0.3 }.run.visible }
        assert_equal 0, program.execute([StandbyProgram::CLIENT, "--inputs"], program.environment).status
        program.stop
      end
    end
  end

  test "a FIFO in the place of a file in the runtime folder" do
    program = standby
    program.make
    %w[notes lock trace].each do |suffix|
      program.stop
      program.make
      path = Dir[File.join(program.runtime, "*/*.trace")].fetch(0).sub(/trace\z/, suffix)
      FileUtils.rm_f(path)
      File.mkfifo(path)
      assert_equal ["1\n[]\n", "", 0], program.run(limit: 5).visible, suffix
      assert_equal 0,
                   program.execute([StandbyProgram::CLIENT, "--status"], program.environment, limit: 5).status,
                   suffix
      File.unlink(path) if File.exist?(path) && File.lstat(path).pipe?
    end
  end

  # (A client that has given up makes sure of it by shutdown: say_go in command.c.)
  test "a child whose client hears no answer is not the command" do
    program = standby(FILES.merge("foo" => "#{SCRIPT}File.write(__dir__ + '/effect', '')\n"))
    program.make
    File.unlink(program.path("effect"))
    socket =
      File.open(File.dirname(path = Dir[File.join(program.runtime, "*/*.socket")].fetch(0))) do |folder|
        UNIXSocket.new("/proc/self/fd/#{folder.fileno}/#{File.basename(path)}")
      end
    text = "PATH=/bin\0"
    socket.sendmsg(
      [0x57535421, 1, $$, Process.getpgrp, 0, 3, text.bytesize, 0].pack("L2l3L3"),
      0,
      nil,
      Socket::AncillaryData.unix_rights($stdin, $stdout, $stderr)
    )
    socket.write([0, 1, 2].pack("l3") + text)
    child = socket.read(16).unpack("Ll3")[1]
    assert_operator child, :>, 0
    socket.shutdown(:RD)
    socket.write("g")
    200.times { File.exist?("/proc/#{child}") ? sleep(0.02) : break }
    refute_path_exists "/proc/#{child}"
    refute_path_exists program.path("effect")
  ensure
    socket&.close
  end

  test "nohup, timeout, a limit of memory, and a pipe that stays open" do
    program = standby
    program.make
    assert_equal 0,
                 program.execute(
                   ["nohup", StandbyProgram::CLIENT, "--", program.path("foo")],
                   program.environment
                 ).status
    assert_equal 0,
                 program.execute(
                   ["timeout", "5", StandbyProgram::CLIENT, "--", program.path("foo")],
                   program.environment
                 ).status
    assert_equal 0,
                 program.execute(
                   ["sh", "-c", "ulimit -v 4000000; exec #{StandbyProgram::CLIENT} -- #{program.path("foo")}"],
                   program.environment
                 ).status
    reader, writer = IO.pipe
    pid =
      spawn(
        program.environment,
        StandbyProgram::CLIENT,
        "--",
        program.path("foo"),
        in: reader,
        out: File::NULL,
        err: File::NULL,
        chdir: program.folder,
        unsetenv_others: true
      )
    Process.wait(pid)
    assert_predicate $?, :success?
    assert_operator program.hits, :>=, 2, program.status.inspect
  ensure
    [reader, writer].compact.each(&:close)
  end

  test "descriptors of the client that the boot does not use go over" do
    program = standby(FILES.merge("foo" => "#{SCRIPT}p X, (IO.for_fd(63).read if ARGV[0])\n"))
    text = ["bash", "-c", "exec #{StandbyProgram::CLIENT} -- #{program.path("foo")} 63 63< <(echo from a process)"]
    program.execute(text, program.environment)
    program.settled
    assert_equal "1\n\"from a process\\n\"\n", program.execute(text, program.environment).stdout
    assert_equal 1, program.hits
  end

  test "an object whose descriptor another one has closed is no obstacle" do
    program =
      standby(
        FILES.merge(
          "lib/foo.rb" => "X = IO.for_fd(IO.sysopen(__FILE__), autoclose: false)\nIO.for_fd(X.fileno).close\n",
          "foo" => "#{SCRIPT}p X.closed?, (X.stat rescue $!.class)\n"
        )
      )
    expected = program.plain.visible
    assert_equal expected, program.run.visible
    assert_equal "waits", program.settled["state"]
    assert_equal expected, program.run.visible
    assert_equal 1, program.hits
  end
end
