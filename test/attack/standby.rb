# frozen_string_literal: true

require "socket"
require_relative "section"
require_relative "standby_interposer"
require_relative "standby_strangers"
require_relative "standby_surroundings"
require_relative "../support/standby_program"

module Attack
  # A command from its standby (docs/standby.md) while something goes wrong: a process is killed or stopped at one of the
  # calls that they make for each other, or such a call fails; something else listens in the standby's place, or talks to
  # it; its folder is full, somebody else's or none; there are 50 commands at once; limits, terminals, descriptors. The
  # command's output, status and effect are the same as in plain Ruby. It has its effect exactly once, or at most once if
  # the client or the command itself was killed. Nothing hangs. Afterwards the next command works, and nothing is left.
  class Standby < Section
    include StandbySurroundings

    SLICE = 70
    LONG = 3000

    # Half of the cases are points (below). The others are of these kinds in turn.
    KINDS = %w[
      liar
      guest
      place
      liar
      limits
      disk
      guest
      descriptors
      liar
      terminal
      trace
      nested
      guest
      place
      limits
      crowd
    ].freeze

    def ids(count)
      return super.first(1) unless linux?

      number = count || default_count
      points = long? && count.nil? ? all_points : all_points.sample((number + 1) / 2, random: Random.new(seed))
      points +
        Array.new([number - points.size, 0].max) do |index|
          "#{KINDS[index % KINDS.size]}-#{index / KINDS.size}-#{index}"
        end
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

    def plain(*command, **options) =
      @program.plain(*command, stdin: "input", limit: DEADLINE, env: environment, **options)

    # What plain Ruby prints and returns.
    def expected
      @expected ||=
        plain.visible.tap do |found|
          failed("plain Ruby: #{found.inspect}") unless found == ["1\n[]\n\"word\"\ntrue\n\"input\"\n", "error\n", 7]
        end
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

      failed(
        "#{what}: #{run.visible.inspect} and #{done} effects in the place of #{expected.inspect} and one#{" (#{run.stderr.dump})" unless run.stderr == run.visible[1]}",
        status_text
      )
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

      # (The client says so on the command's stderr, if the command still runs.)
      lost = run.status == 1 && run.stdout == expected.first && done == 1
      killed = run.status.to_s.start_with?("signal ")
      victim == "standby" ? lost : killed
    end

    def status_text = @program.execute([StandbyProgram::CLIENT, "--status"], @program.environment, limit: 5).stdout

    # The next command is right, and one after it comes from a standby again. Then all standbys end, and nothing is left.
    def look_after(random)
      @interposer.disarm
      check("the command after it")
      if random.rand(3).zero?
        # (One that could not be made is not tried again before its inputs change, or it is ended. None is made while
        # another one boots, although its trace has been taken away.)
        found = settle&.fetch("state")
        end_standbys if found == "unfit"
        check("a command when none waits") unless found == "waits"
        settle&.fetch("state") == "waits" or failed("no standby is made after it", status_text)
        hits = @program.hits
        check("a command from the next standby")
        failed("the next standby is not used", status_text) if @program.hits != hits + 1
      end
      stop
    end

    def stop
      end_standbys
      files = Dir[File.join(@program.runtime, "warmstart-standby/*.{trace,socket}")]
      failed("left behind after --stop: #{File.basename(files.first)}") if files.any?
    end

    def end_standbys
      @program.execute([StandbyProgram::CLIENT, "--stop"], @program.environment.merge(@more || {}), limit: 10)
      # (A standby that no client can reach, because of a lasting EACCES, ends by itself: it looks each minute whether it
      # still has its file; waiting.c, is_wanted.)
      unless quiet_within(Program.patience(75))
        failed("left behind after --stop: #{left.map { |pid| describe(pid) }.join(", ")}")
      end
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
      left.each do |pid|
        begin
          Process.kill(:KILL, pid)
        rescue StandardError
          nil
        end
      end
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
        all =
          JSON.parse(
            @program.execute(
              [StandbyProgram::CLIENT, "--status", "--json"],
              @program.environment.merge(@more || {}),
              limit: 10
            ).stdout
          )
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
      "EINTR" => %w[connect accept4 send sendmsg recv recvmsg poll open write read waitpid flock dup2 close],
      "EAGAIN" => %w[connect accept4 send sendmsg recv recvmsg fork],
      "EMFILE" => %w[socket accept4 open opendir syscall fcntl],
      "ENOMEM" => %w[malloc calloc mmap fork socket poll send sendmsg recvmsg syscall open],
      "ENOSPC" => %w[bind ftruncate rename write open mkdir],
      "EACCES" => %w[connect bind open opendir rename unlink mkdir utimensat],
      "EPERM" => %w[kill setpgid syscall],
      "ECONNREFUSED" => %w[connect],
      "EIO" => %w[read write ftruncate]
    }.freeze
    SHORT = %w[send recv write read].freeze
    # What does not fail: to ask for an open descriptor's flags, and to give one a number that is free.
    IMPOSSIBLE = { "client" => %w[dup2 fcntl], "maker" => %w[dup2 fcntl], "standby" => [], "child" => %w[fcntl] }.freeze
    PROCESSES = %w[KILL KILL_AFTER TERM STOP DELAY].freeze
    OTHERS = {
      "client" => %w[KILL_STANDBY KILL_CHILD],
      "standby" => %w[KILL_CLIENT],
      "child" => %w[KILL_CLIENT KILL_STANDBY],
      "maker" => %w[KILL_STANDBY]
    }.freeze
    LASTING = %w[EMFILE ENOMEM ENOSPC EACCES].freeze
    # Of each function so many calls, in the order in which a process makes them.
    CALLS_MAXIMUM =
      Hash.new(6).merge(
        "poll" => 1,
        "waitpid" => 1,
        "read" => 2,
        "close" => 4,
        "malloc" => 4,
        "fcntl" => 4,
        "open" => 12
      )

    # Of a standby and its children only calls that are surely not Ruby's own, which pass through the same library.
    THEIR_OWN = %w[
      socket
      bind
      listen
      accept4
      setsockopt
      getsockopt
      send
      recv
      recvmsg
      poll
      fork
      malloc
      calloc
      unlink
      setpgid
      kill
      waitpid
      syscall
      fcntl
    ].freeze

    # "warm-client-send-2-EINTR": a command whose standby waits, and the client's second call of send.
    def all_points
      @all_points ||=
        %w[cold warm]
          .flat_map do |kind|
            made =
              calls(kind).uniq.select do |role, function|
                %w[client maker].include?(role) || THEIR_OWN.include?(function)
              end
            made.flat_map do |role, function|
              number = [calls(kind).count([role, function]), CALLS_MAXIMUM[function]].min
              (1..number).flat_map do |at|
                actions(role, function).map { |action| "#{kind}-#{role}-#{function}-#{at}-#{action}" }
              end
            end
          end
          .sort
    end

    def actions(role, function)
      errors =
        ERRORS.filter_map do |error, functions|
          error if functions.include?(function) && !IMPOSSIBLE.fetch(role).include?(function)
        end
      errors -= ["EAGAIN"] if role == "client" && function == "recv" # (it asks first whether there is something, or waits for ever)
      [
        *errors,
        *(errors & [*LASTING, *("EAGAIN" if function == "fork")]).map { |error| "#{error}+" },
        *("SHORT" if SHORT.include?(function)),
        *PROCESSES,
        *OTHERS.fetch(role)
      ]
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
      unless StandbyInterposer::ROLES.include?(role) && StandbyInterposer::FUNCTIONS.include?(function)
        raise ArgumentError, "no such case"
      end

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

      @interposer.arm(
        role,
        function,
        number,
        error: Errno.const_get(action.delete("+")),
        lasting: action.end_with?("+")
      )
    end

    def victim(role, action)
      return action.delete_prefix("KILL_").downcase if action.match?(/KILL_(?!AFTER)/)

      role if %w[KILL KILL_AFTER TERM].include?(action)
    end

    # A process that was stopped goes on after a while.
    def continue_later
      @continuing =
        Thread.new do
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
      @pretender = liar.stand_in if liar.busy?
      File.binwrite(file("trace"), [@pretender || Process.pid].pack("L"), 12) # (the client asks nobody else)
      check("with #{liar}")
    ensure
      liar&.stop
      [pid, @pretender].compact.each do |process|
        begin
          Process.kill(:KILL, process)
        rescue StandardError
          nil
        end
      end
      @pretender&.then do |process|
        begin
          Process.wait(process)
        rescue StandardError
          nil
        end
      end
      @pretender = nil
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
      if wait(Program.patience(3)) {
           before = ticks.call
           sleep 0.2
           ticks.call - before < 10
         }
        false
      else
        true
      end
    rescue SystemCallError
      false
    end
  end
end
