# frozen_string_literal: true

require "pty"
require "socket"
require_relative "section"
require_relative "standby_interposer"
require_relative "standby_strangers"
require_relative "../support/standby_program"

module Attack
  # A command from its standby (docs/standby.md) while something goes wrong: a process is killed or stopped at one of the
  # calls that they make for each other, or such a call fails; something else listens in the standby's place, or talks to
  # it; its folder is full, somebody else's or none; there are 50 commands at once; limits, terminals, descriptors. The
  # command's output, status and effect are the same as in plain Ruby. It has its effect exactly once, or at most once if
  # the client or the command itself was killed. Nothing hangs. Afterwards the next command works, and nothing is left.
  class Standby < Section
    SLICE = 70
    LONG = 3000

    # Half of the cases are points (below). The others are of these kinds in turn.
    KINDS = %w[liar guest place liar limits disk guest descriptors liar terminal record nested guest place limits crowd].freeze

    MAIN = <<~'RUBY'
      $LOAD_PATH.unshift File.join(__dir__, "lib")
      require "foo"
      File.open(File.join(__dir__, "effects"), "a") { |file| file.syswrite("#{$$}\n") }
      $stdout.sync = true
      p X, ARGV, ENV["ATTACK_WORD"], Dir.pwd == __dir__
      $stderr.puts "error"
      p $stdin.read
      load File.join(__dir__, "more.rb") if File.exist?(File.join(__dir__, "more.rb"))
      exit 7
    RUBY
    FILES = { "foo" => MAIN, "lib/foo.rb" => "X = 1\n" }.freeze
    WORD = { "ATTACK_WORD" => "word" }.freeze

    # Seconds in which a command has ended, whatever does not answer. (The client waits for 1.5 s: protocol.h.)
    LONGEST = 15
    DEADLINE = Program.patience(30)

    def ids(count)
      return super.first(1) unless linux?

      number = count || default_count
      points = long? && count.nil? ? all_points : all_points.sample((number + 1) / 2, random: Random.new(seed))
      points + Array.new([number - points.size, 0].max) { |index| "#{KINDS[index % KINDS.size]}-#{index / KINDS.size}-#{index}" }
    end

    def play(id)
      return :linux_only unless linux?

      folder do |path|
        begin_case(path)
        play_in_folder(id, random(id))
      ensure
        end_all
      end
    end

    private

    def linux? = RUBY_PLATFORM.include?("linux")

    def begin_case(path)
      @path = path
      @interposer = StandbyInterposer.new(File.join(path, "faults"))
      @program = StandbyProgram.new(path, FILES)
      sleep Program::AGEING # (of a file that was changed just before it is read there is no standby)
    end

    def play_in_folder(id, random)
      kind, rest = id.split("-", 2)
      @expected = nil
      note = %w[cold warm].include?(kind) ? point(kind, rest) : send(kind, random)
      look_after(random)
      note.is_a?(Symbol) ? note : nil
    end

    # ---- a command, and what must hold ----

    def environment = { **WORD, **@interposer.environment, **(@more || {}) }

    def effects = File.exist?(@program.path("effects")) ? File.readlines(@program.path("effects")).size : 0

    def plain(*command, **options) = @program.plain(*command, stdin: "input", limit: DEADLINE, env: environment, **options)

    # What plain Ruby prints and returns.
    def expected
      @expected ||= plain.visible.tap { |found| failed("plain Ruby: #{found.inspect}") unless found == ["1\n[]\n\"word\"\ntrue\n\"input\"\n", "error\n", 7] }
    end

    # Returns the result, the effects that the command has had, and how many seconds it took.
    def command(**options)
      before, start = effects, now
      run = @program.run(stdin: "input", limit: DEADLINE, env: environment, **options)
      [run, effects - before, now - start]
    end

    # The command's result is that of plain Ruby. victim: who was killed: then also what docs/standby.md says of it.
    def check(what, victim: nil, longest: LONGEST, expected: self.expected, **options)
      run, done, seconds = command(**options)
      check_bounds(what, run, seconds, longest)
      return run if run.visible == expected && (done == 1 || (victim == "client" && done.zero?))
      return run if victim && excused?(victim, run, done, expected)

      failed("#{what}: #{run.visible.inspect} and #{done} effects in the place of #{expected.inspect} and one#{" (#{run.stderr.dump})" unless run.stderr == run.visible[1]}", status_text)
    end

    def check_bounds(what, run, seconds, longest)
      failed("#{what}: hangs", status_text) if run.status == 124 || run.status == "signal 9" && seconds > DEADLINE
      failed("#{what}: it took #{seconds.round(1)} s", status_text) if seconds > Program.patience(longest)
      lines = run.stderr.lines.grep(/\Awarmstart: /)
      failed("#{what}: #{lines.size} lines on stderr: #{lines.first.dump}", lines.join) if lines.size > COMPLAINTS
    end

    def excused?(victim, run, done, expected)
      return false if done > 1
      return false unless expected.first.start_with?(run.stdout)

      lost = run.stderr.include?("exit status is lost") && run.status == 1 && run.stdout == expected.first && done == 1
      killed = run.status.to_s.start_with?("signal ")
      victim == "standby" ? lost : killed
    end

    def status_text = @program.execute([StandbyProgram::CLIENT, "--status"], @program.environment, limit: 5).stdout

    # The next command is right, and one after it comes from a standby again. Then all standbys end, and nothing is left.
    def look_after(random)
      @interposer.disarm
      check("the command after it")
      if random.rand(3).zero?
        # (One that could not be made is not tried again before its inputs change, or it is ended.)
        end_standbys || check("a command when all is ended") if settle&.fetch("state") == "unfit"
        settle&.fetch("state") == "waits" or failed("no standby is made after it", status_text)
        hits = @program.hits
        check("a command from the next standby")
        failed("the next standby is not used", status_text) if @program.hits != hits + 1
      end
      stop
    end

    def stop
      end_standbys
      files = Dir[File.join(@program.runtime, "warmstart-standby/*.{record,socket}")]
      failed("left behind after --stop: #{File.basename(files.first)}") if files.any?
    end

    def end_standbys
      @program.execute([StandbyProgram::CLIENT, "--stop"], @program.environment.merge(@more || {}), limit: 10)
      failed("left behind after --stop: #{left.map { |pid| describe(pid) }.join(", ")}") unless quiet_within(Program.patience(15))
    end

    def quiet_within(seconds) = wait(seconds) { left.empty? }

    # All processes that come of this case's commands.
    def left
      mark = "ATTACK_STANDBY=#{@path}/faults\0"
      Dir["/proc/[0-9]*"].filter_map do |process|
        pid = File.basename(process).to_i
        pid if pid != Process.pid && File.binread("#{process}/environ").include?(mark) && state(pid)
      rescue SystemCallError
        nil
      end
    end

    def describe(pid)
      "#{File.read("/proc/#{pid}/cmdline").tr("\0", " ")}(#{File.read("/proc/#{pid}/stat")[/\) (\w)/, 1]} #{File.read("/proc/#{pid}/wchan")})"
    rescue SystemCallError
      "one that ended"
    end

    def end_all
      @interposer&.disarm
      @continuing&.kill&.join
      left.each { |pid| Process.kill(:KILL, pid) rescue nil }
      @mounted&.then { |path| system("umount", path, err: File::NULL) }
      @mounted = @more = @continuing = nil
    end

    def wait(seconds)
      deadline = now + seconds
      until (found = yield)
        return if now > deadline

        sleep 0.02
      end
      found
    end

    # Waits until a standby waits, or is of no use. Returns what the status tells about it, or nil.
    def settle(seconds = 20)
      wait(Program.patience(seconds)) do
        all = JSON.parse(@program.execute([StandbyProgram::CLIENT, "--status", "--json"], @program.environment.merge(@more || {}), limit: 10).stdout)
        all.first if all.any? && all.none? { |one| one["state"] == "boots" }
      rescue JSON::ParserError
        nil
      end
    end

    # A standby that waits, and has served nobody.
    def make_standby
      check("the first command")
      settle&.then { |found| found["state"] == "waits" ? found : nil } or failed("no standby is made", status_text)
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    def runtime_folder = File.join(@program.runtime, "warmstart-standby")
    def file(suffix) = Dir[File.join(runtime_folder, "*.#{suffix}")].first

    # ---- points: calls that are met ----

    ERRORS = {
      "EINTR" => %w[connect accept4 send sendmsg recv recvmsg poll open write read waitpid flock dup2 close], "EAGAIN" => %w[connect accept4 send sendmsg recv recvmsg fork],
      "EMFILE" => %w[socket accept4 open opendir syscall fcntl], "ENOMEM" => %w[malloc calloc mmap fork socket poll send sendmsg recvmsg syscall open],
      "ENOSPC" => %w[bind ftruncate rename write open mkdir], "EACCES" => %w[connect bind rename unlink mkdir utimensat], "EPERM" => %w[kill setpgid syscall],
      "ECONNREFUSED" => %w[connect], "EIO" => %w[read write ftruncate]
    }.freeze
    SHORT = %w[send recv write read].freeze
    # What does not fail: to ask for an open descriptor's flags, and to give one a number that is free.
    IMPOSSIBLE = { "client" => %w[dup2 fcntl], "maker" => %w[dup2 fcntl], "standby" => [], "child" => %w[fcntl] }.freeze
    PROCESSES = %w[KILL KILL_AFTER TERM STOP DELAY].freeze
    OTHERS = { "client" => %w[KILL_STANDBY KILL_CHILD], "standby" => %w[KILL_CLIENT], "child" => %w[KILL_CLIENT KILL_STANDBY], "maker" => %w[KILL_STANDBY] }.freeze
    LASTING = %w[EMFILE ENOMEM ENOSPC EACCES].freeze
    # Of each function so many calls, in the order in which a process makes them.
    CALLS_MAXIMUM = Hash.new(6).merge("poll" => 1, "waitpid" => 1, "read" => 2, "close" => 4, "malloc" => 4, "fcntl" => 4, "open" => 12)

    # Of a standby and its children only calls that are surely not Ruby's own, which pass through the same library.
    THEIR_OWN = %w[socket bind listen accept4 setsockopt getsockopt send recv recvmsg poll fork malloc calloc unlink setpgid kill waitpid syscall fcntl].freeze

    # "warm-client-send-2-EINTR": a command whose standby waits, and the client's second call of send.
    def all_points
      @all_points ||= %w[cold warm].flat_map do |kind|
        made = calls(kind).uniq.select { |role, function| %w[client maker].include?(role) || THEIR_OWN.include?(function) }
        made.flat_map do |role, function|
          number = [calls(kind).count([role, function]), CALLS_MAXIMUM[function]].min
          (1..number).flat_map { |at| actions(role, function).map { |action| "#{kind}-#{role}-#{function}-#{at}-#{action}" } }
        end
      end.sort
    end

    def actions(role, function)
      errors = ERRORS.filter_map { |error, functions| error if functions.include?(function) && !IMPOSSIBLE.fetch(role).include?(function) }
      errors -= ["EAGAIN"] if role == "client" && function == "recv" # (it asks first whether there is something, or waits for ever)
      [*errors, *(errors & [*LASTING, *("EAGAIN" if function == "fork")]).map { |error| "#{error}+" }, *("SHORT" if SHORT.include?(function)), *PROCESSES, *OTHERS.fetch(role)]
    end

    # What the processes call when nothing goes wrong.
    def calls(kind) = (@calls ||= record_calls).fetch(kind)

    def record_calls
      folder do |path|
        begin_case(path)
        cold = watch { make_standby }
        wait(0.5) { false } # (what has made the standby)
        warm = watch { check("a command") && wait(0.5) { false } }
        { "cold" => cold, "warm" => warm }
      ensure
        end_all
      end
    end

    def watch
      @interposer.arm("client", "connect", 0)
      yield
      @interposer.log
    end

    def point(kind, rest)
      role, function, number, action = rest.match(/\A(\w+)-(\w+)-(\d+)-([A-Z_+]+)\z/)&.captures
      raise ArgumentError, "no such case" unless StandbyInterposer::ROLES.include?(role) && StandbyInterposer::FUNCTIONS.include?(function)

      make_standby if kind == "warm"
      expected
      arm(role, function, Integer(number), action)
      continue_later if action == "STOP"
      # (A status that the standby cannot send is lost.)
      check("the disturbed command", victim: victim(role, action) || (role if role == "standby" && function == "send"))
      # (What makes a standby goes on behind the command.)
      wait(Program.patience(2)) { @interposer.hit || (kind == "warm" && role != "maker") || settle(1) }
      @interposer.hit ? nil : :not_reached
    end

    def arm(role, function, number, action)
      return @interposer.arm(role, function, number, action: action.downcase.to_sym) unless action.start_with?("E")

      @interposer.arm(role, function, number, error: Errno.const_get(action.delete("+")), lasting: action.end_with?("+"))
    end

    def victim(role, action)
      return action.delete_prefix("KILL_").downcase if action.match?(/KILL_(?!AFTER)/)

      role if %w[KILL KILL_AFTER TERM].include?(action)
    end

    # A process that was stopped goes on after a while.
    def continue_later
      @continuing = Thread.new do
        loop do
          sleep 0.08
          pid = @interposer.hit and Process.kill(:CONT, pid)
        rescue SystemCallError
          nil # (it has ended)
        end
      end
    end

    # ---- something else in the standby's place ----

    def liar(random)
      liar = StandbyLiar.new(random)
      @more = liar.variables
      pid = make_standby["pid"]
      liar.start(file("socket"))
      pretend if liar.busy?
      check("with #{liar}")
    ensure
      liar&.stop
      [pid, @pretender].compact.each { |process| Process.kill(:KILL, process) rescue nil }
      @pretender&.then { |process| Process.wait(process) rescue nil }
      @pretender = nil
    end

    # Another process, which is always busy, seems to be the standby: the client has patience with it.
    def pretend
      @pretender = Process.spawn(RbConfig.ruby, "--disable-gems", "-e", "loop { }", unsetenv_others: true)
      File.binwrite(file("record"), [@pretender].pack("L"), 12)
    end

    # ---- somebody else who talks to the standby ----

    def guest(random)
      pid = make_standby["pid"]
      guest = StandbyGuest.new(random, file("socket"))
      guest.talk
      sleep 0.2 if guest.harmless? # (it is not ended for having been busy)
      check("after #{guest}")
      guest.close
      alive = state(pid)
      failed("#{guest}: the standby has ended") if guest.harmless? && !alive
      failed("#{guest}: the standby is busy for ever") if alive && busy?(pid)
    ensure
      guest&.close
    end

    # What a process does (proc(5)), or nil.
    def state(pid)
      File.read("/proc/#{pid}/stat")[/\) (\w)/, 1].then { |letter| letter unless letter == "Z" }
    rescue SystemCallError
      nil
    end

    def busy?(pid)
      ticks = -> { File.read("/proc/#{pid}/stat").split(") ").last.split.values_at(11, 12).sum(&:to_i) }
      wait(Program.patience(3)) do
        before = ticks.call
        sleep 0.2
        ticks.call - before < 10
      end ? false : true
    rescue SystemCallError
      false
    end

    # ---- the folder ----

    PLACES = %i[mode link other file missing long newline fifo folder linked_file readonly].freeze
    VARIABLES = %i[missing long newline].freeze # (XDG_RUNTIME_DIR is another one)
    ATTACKER = 65_533

    def place(random)
      what = PLACES.sample(random: random)
      make_standby if random.rand(2).zero? && what != :readonly && !VARIABLES.include?(what)
      send(:"place_#{what}", random)
      2.times { |turn| check("a runtime folder that is amiss (#{what})") && (settle(2) if turn.zero? && VARIABLES.include?(what)) }
      failed("a folder that is amiss (#{what}) is used: #{Dir.children(@foreign).first}") if @foreign && Dir.children(@foreign).any?
      @restore&.call
      end_standbys if @more
      nil
    ensure
      @foreign = @restore = @more = nil
    end

    def set_aside
      aside = "#{runtime_folder}.aside"
      File.rename(runtime_folder, aside) if File.exist?(runtime_folder)
      @restore = lambda do
        FileUtils.rm_rf(runtime_folder)
        File.rename(aside, runtime_folder) if File.exist?(aside)
      end
    end

    def place_mode(random)
      FileUtils.mkdir_p(runtime_folder, mode: 0o700)
      mode = [0o755, 0o770, 0o701, 0o777, 0o1777, 0o710, 0o500, 0o000].sample(random: random)
      File.chmod(mode, runtime_folder)
      @restore = -> { File.chmod(0o700, runtime_folder) }
    end

    def place_link(random)
      set_aside
      Dir.mkdir(@foreign = "#{runtime_folder}.elsewhere", 0o700)
      File.chown(ATTACKER, ATTACKER, @foreign) if Process.uid.zero? && random.rand(2).zero?
      File.symlink(@foreign, runtime_folder)
    end

    def place_other(_random)
      return place_file(nil) unless Process.uid.zero?

      set_aside
      Dir.mkdir(@foreign = runtime_folder, 0o700)
      File.chown(ATTACKER, ATTACKER, @foreign)
    end

    def place_file(_random)
      set_aside
      File.write(runtime_folder, "")
    end

    def place_missing(_random) = @more = { "XDG_RUNTIME_DIR" => File.join(@program.runtime, "nowhere/at/all") }

    def place_long(random)
      long = File.join(@program.runtime, *Array.new(1 + random.rand(3)) { "x" * (60 + random.rand(190)) })
      FileUtils.mkdir_p(long, mode: 0o700)
      @more = { "XDG_RUNTIME_DIR" => long }
    end

    def place_newline(_random)
      name = File.join(@program.runtime, "a\nb \"c\e")
      Dir.mkdir(name, 0o700)
      @more = { "XDG_RUNTIME_DIR" => name }
    end

    SUFFIXES = %w[record socket lock notes].freeze

    def names_in_folder(random)
      make_standby unless file("record")
      key = File.basename(file("record"), ".record")
      suffix = [*SUFFIXES, "stopped"].sample(random: random)
      # (A standby whose files are taken away ends within a minute: it looks once a minute.)
      settle.then { |found| Process.kill(:KILL, found["pid"]) && wait(2) { state(found["pid"]).nil? } } if %w[record socket].include?(suffix)
      File.join(runtime_folder, suffix == "stopped" ? "all.stopped" : "#{key}.#{suffix}")
    end

    def place_fifo(random)
      path = names_in_folder(random)
      FileUtils.rm_f(path)
      File.mkfifo(path, 0o600)
      @restore = -> { FileUtils.rm_rf(path) if File.exist?(path) && File.lstat(path).pipe? && !path.end_with?("all.stopped", "notes") }
    end

    def place_folder(random)
      path = names_in_folder(random)
      FileUtils.rm_f(path)
      Dir.mkdir(path)
      @restore = -> { FileUtils.rm_rf(path) }
    end

    def place_linked_file(random)
      path = names_in_folder(random)
      target = File.join(@program.base, "target")
      File.exist?(path) && !File.socket?(path) ? FileUtils.mv(path, target) : File.write(target, "")
      FileUtils.rm_f(path)
      size = File.size(target)
      File.symlink(target, path)
      @restore = lambda do
        failed("a link in the folder is followed: #{File.basename(path)}") if path.end_with?("all.stopped", "notes") && File.size(target) != size
        FileUtils.rm_f(path)
      end
    end

    def place_readonly(random)
      return place_mode(random) unless Process.uid.zero? && system("mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", @program.runtime, err: File::NULL)

      @mounted = @program.runtime
      check("on another disk") && settle && end_standbys if random.rand(2).zero?
      system("mount", "-o", "remount,ro", @program.runtime, exception: true)
      @restore = -> { system("mount", "-o", "remount,rw", @program.runtime, exception: true) }
    end

    # ---- a full disk ----

    def disk(random)
      kilobytes = [4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256].sample(random: random)
      return :not_mounted unless Process.uid.zero? && system("mount", "-t", "tmpfs", "-o", "size=#{kilobytes}k,mode=700", "tmpfs", @program.runtime, err: File::NULL)

      @mounted = @program.runtime
      fill = random.rand(3)
      File.binwrite(File.join(@mounted, "full"), "x" * 1024 * kilobytes) rescue nil if fill.zero?
      check("a disk of #{kilobytes} KB")
      settle(3)
      File.binwrite(File.join(@mounted, "full"), "x" * 1024 * kilobytes) rescue nil if fill == 1
      2.times { check("a disk of #{kilobytes} KB, #{%w[full later\ full free].fetch(fill)}") }
      FileUtils.rm_f(File.join(@mounted, "full"))
      end_standbys
      system("umount", "-l", @mounted)
      @mounted = nil
    end

    # ---- limits ----

    LIMITS = {
      AS: [200 << 20, 300 << 20, 400 << 20, 600 << 20, 1 << 30], NOFILE: [6, 8, 10, 12, 16, 24, 32, 65, 1024], NPROC: [1, 2, 3, 5], FSIZE: [0, 4096, 65_536, 1 << 20, 64 << 20],
      STACK: [256 << 10, 1 << 20, 64 << 20], DATA: [40 << 20, 100 << 20], CORE: [0], MEMLOCK: [0]
    }.freeze

    def limits(random)
      name = LIMITS.keys.sample(random: random)
      value = LIMITS.fetch(name).sample(random: random)
      options = { "rlimit_#{name.downcase}": value }
      return limits_of_standby(name, value, options) if random.rand(2).zero?

      expected = plain(**options).visible
      return :too_small unless expected == self.expected

      3.times do |turn|
        check("#{name} #{value}", **options)
        settle(3) if turn.zero?
      end
      end_standbys # (they have another key)
    end

    # The standby, and nobody else, can have no more: as when the machine itself has none.
    def limits_of_standby(name, value, _options)
      pid = make_standby["pid"]
      return :no_prlimit unless system("prlimit", "--pid", pid.to_s, "--#{name.downcase}=#{value}", err: File::NULL)
      return :not_compared if %i[STACK FSIZE CORE MEMLOCK].include?(name) # (the command has them, as it would by prlimit)

      run, done, seconds = command
      check_bounds("a standby with #{name} #{value}", run, seconds, LONGEST)
      failed("a standby with #{name} #{value}: #{done} effects") if done > 1
      right = run.visible == expected && done == 1
      memory = %i[AS DATA].include?(name) && run.stderr.match?(/NoMemoryError|failed to allocate memory/)
      failed("a standby with #{name} #{value}: #{run.visible.inspect}") unless right || memory
    end

    # ---- descriptors ----

    def descriptors(random)
      make_standby
      count = [3, 20, 61, 62, 200, 1000].sample(random: random)
      numbers = count == 1000 ? (3...1003).to_a : (3..250).to_a.sample(count, random: random).sort
      text = File.join(@path, "text")
      File.write(text, "text\n")
      asked = numbers.sample(3, random: random)
      @program.write("more.rb", "#{asked.inspect}.each { |number| p IO.for_fd(number, autoclose: false).sysread(9) }\n")
      sleep Program::AGEING
      options = -> { numbers.to_h { |number| [number, text] } }
      expected = plain(**options.call).visible
      failed("plain Ruby: #{expected.inspect}") unless expected[2] == 7 && expected[0].scan("text").size == 3
      2.times { check("#{count} descriptors", expected: expected, **options.call) }
      FileUtils.rm_f(@program.path("more.rb"))
    end

    # ---- a terminal that hangs up ----

    def terminal(random)
      moment = random.rand * 0.25
      warm = random.rand(2).zero?
      2.times { |turn| in_terminal(turn.zero? && warm ? nil : moment) if turn == 1 || warm }
      end_standbys
    end

    # moment: when it hangs up, in seconds after the command has begun; nil: it ends first
    def in_terminal(moment)
      before = effects
      variables = ENV.keys.to_h { |name| [name, nil] }.merge(@program.environment, environment)
      reader, writer, pid = PTY.spawn(variables, StandbyProgram::CLIENT, "--", @program.path("foo"), chdir: @program.folder)
      if moment
        sleep moment
      else
        writer.write("input\n\x04")
        wait(Program.patience(10)) { reader.read_nonblock(1000, exception: false).nil? } rescue nil
      end
      [reader, writer].each(&:close)
      ended = wait(Program.patience(LONGEST)) { Process.wait(pid, Process::WNOHANG) }
      Process.kill(:KILL, pid) && failed("a terminal that hangs up after #{moment.inspect} s: the client goes on") unless ended
      done = effects - before
      failed("a terminal that hangs up after #{moment.inspect} s: #{done} effects") if done > 1
    end

    # ---- a record of another version, or whose standby is none ----

    def record(random)
      pid = make_standby["pid"]
      path = file("record")
      what = random.rand(5)
      case what
      when 0 then File.binwrite(path, [1 + (2 * random.rand(2))].pack("L"), 8) # an older or a newer version
      when 1 then File.binwrite(path, [[0, 1, Process.pid, 4_000_000, 0xffffffff].sample(random: random)].pack("L"), 12)
      when 2 then File.binwrite(path, [random.rand(4)].pack("L"), 28)
      when 3 then File.unlink(file("socket"))
      else File.binwrite(path, [random.rand(1 << 63)].pack("Q"), 16)
      end
      2.times { check("a record that lies (#{what})") }
    ensure
      pid&.then { |process| Process.kill(:KILL, process) rescue nil }
    end

    # ---- a command that runs itself ----

    def nested(random)
      client = [StandbyProgram::CLIENT, "--", @program.path("foo")]
      at_boot = random.rand(3).zero?
      options = "in: File::NULL, out: File::NULL, err: File::NULL"
      if at_boot
        @program.write("lib/foo.rb", "X = 1\nENV['ATTACK_DEPTH'].to_i < 3 and system({'ATTACK_DEPTH' => ENV['ATTACK_DEPTH'].to_i.succ.to_s}, *#{client.inspect}, #{options})\n")
      else
        @program.write("more.rb", "File.readlines(File.join(__dir__, 'effects')).size < 4 and system(*#{client.inspect}, #{options})\n")
      end
      sleep Program::AGEING
      @program.run(stdin: "input", limit: DEADLINE, env: environment) && settle if !at_boot && random.rand(2).zero?
      FileUtils.rm_f(@program.path("effects"))
      run = @program.run(stdin: "input", limit: DEADLINE, env: environment)
      failed("a command that runs itself: hangs") if run.status == 124
      done = effects
      failed("a command that runs itself: #{run.visible.inspect}, #{done} effects") unless run.status == 7 && done == 4
      wait(Program.patience(3)) { settle(1) }
      many = @program.status.count { |one| one["state"] == "waits" }
      failed("a command that runs itself: #{many} standbys") if many > 3
      FileUtils.rm_f(@program.path("more.rb"))
      @program.write("lib/foo.rb", FILES["lib/foo.rb"])
      sleep Program::AGEING
    end

    # ---- 50 commands at once ----

    CROWD = 50

    def crowd(random)
      pid = make_standby["pid"]
      before = effects
      what = random.rand(3)
      runs = Array.new(CROWD) { Thread.new { @program.run(stdin: "input", limit: DEADLINE, env: environment) } }
      moment = random.rand * 0.5
      sleep moment
      Process.kill(what == 1 ? :KILL : :CONT, pid) rescue nil
      @program.execute([StandbyProgram::CLIENT, "--stop"], @program.environment, limit: 10) if what == 2
      runs = runs.map(&:value)
      done = effects - before
      failed("#{CROWD} commands at once: #{done} effects") if done != CROWD
      runs.each do |run|
        check_bounds("#{CROWD} commands at once", run, 0, LONGEST)
        next if run.visible == expected || (what == 1 && excused?("standby", run, 1, expected))

        failed("#{CROWD} commands at once: #{run.visible.inspect}")
      end
    end
  end
end
