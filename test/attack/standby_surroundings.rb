# frozen_string_literal: true

require "pty"
require_relative "../support/program"

module Attack
  # The cases of Attack::Standby that are about what lies around a standby: its folder and files, the disk, limits,
  # descriptors, the terminal, and how many commands there are.
  module StandbySurroundings
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

    private

    # ---- the folder ----

    PLACES = %i[mode link other file missing long newline fifo folder linked_file readonly].freeze
    VARIABLES = %i[missing long newline].freeze # (XDG_RUNTIME_DIR is another one)
    ATTACKER = 65_533

    def place(random)
      what = PLACES.sample(random: random)
      make_standby if random.rand(2).zero? && what != :readonly && !VARIABLES.include?(what)
      send(:"place_#{what}", random)
      2.times do |turn|
        check("a runtime folder that is amiss (#{what})") && (settle(2) if turn.zero? && VARIABLES.include?(what))
      end
      if @foreign && Dir.children(@foreign).any?
        failed("a folder that is amiss (#{what}) is used: #{Dir.children(@foreign).first}")
      end
      @restore&.call
      end_standbys if @more
      nil
    ensure
      @foreign = @restore = @more = nil
    end

    def set_aside
      aside = "#{runtime_folder}.aside"
      File.rename(runtime_folder, aside) if File.exist?(runtime_folder)
      @restore =
        lambda do
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

    SUFFIXES = %w[trace socket lock notes].freeze

    def names_in_folder(random)
      make_standby unless file("trace")
      key = File.basename(file("trace"), ".trace")
      suffix = [*SUFFIXES, "stopped"].sample(random: random)
      # (A standby whose files are taken away ends within a minute: it looks once a minute.)
      if %w[trace socket].include?(suffix)
        settle.then { |found| Process.kill(:KILL, found["pid"]) && wait(2) { state(found["pid"]).nil? } }
      end
      File.join(runtime_folder, suffix == "stopped" ? "all.stopped" : "#{key}.#{suffix}")
    end

    def place_fifo(random)
      path = names_in_folder(random)
      FileUtils.rm_f(path)
      File.mkfifo(path, 0o600)
      @restore = -> do
        FileUtils.rm_rf(path) if File.exist?(path) && File.lstat(path).pipe? && !path.end_with?("all.stopped", "notes")
      end
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
      @restore =
        lambda do
          if path.end_with?("all.stopped", "notes") && File.size(target) != size
            failed("a link in the folder is followed: #{File.basename(path)}")
          end
          FileUtils.rm_f(path)
        end
    end

    def place_readonly(random)
      unless Process.uid.zero? &&
               system("mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", @program.runtime, err: File::NULL)
        return place_mode(random)
      end

      @mounted = @program.runtime
      check("on another disk") && settle && end_standbys if random.rand(2).zero?
      system("mount", "-o", "remount,ro", @program.runtime, exception: true)
      @restore = -> { system("mount", "-o", "remount,rw", @program.runtime, exception: true) }
    end

    # ---- a full disk ----

    def disk(random)
      kilobytes = [4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256].sample(random: random)
      unless Process.uid.zero? &&
               system(
                 "mount",
                 "-t",
                 "tmpfs",
                 "-o",
                 "size=#{kilobytes}k,mode=700",
                 "tmpfs",
                 @program.runtime,
                 err: File::NULL
               )
        return :not_mounted
      end

      @mounted = @program.runtime
      fill = random.rand(3)
      if fill.zero?
        begin
          File.binwrite(File.join(@mounted, "full"), "x" * 1024 * kilobytes)
        rescue StandardError
          nil
        end
      end
      check("a disk of #{kilobytes} KB")
      settle(3)
      if fill == 1
        begin
          File.binwrite(File.join(@mounted, "full"), "x" * 1024 * kilobytes)
        rescue StandardError
          nil
        end
      end
      2.times { check("a disk of #{kilobytes} KB, #{%w[full later\ full free].fetch(fill)}") }
      FileUtils.rm_f(File.join(@mounted, "full"))
      end_standbys
      system("umount", "-l", @mounted)
      @mounted = nil
    end

    # ---- limits ----

    LIMITS = {
      AS: [200 << 20, 300 << 20, 400 << 20, 600 << 20, 1 << 30],
      NOFILE: [7, 8, 10, 12, 16, 24, 32, 65, 1024],
      NPROC: [1, 2, 3, 5],
      FSIZE: [0, 4096, 65_536, 1 << 20, 64 << 20],
      STACK: [256 << 10, 1 << 20, 64 << 20],
      DATA: [40 << 20, 100 << 20],
      CORE: [0],
      MEMLOCK: [0]
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
      reader, writer, pid =
        PTY.spawn(variables, StandbyProgram::CLIENT, "--", @program.path("foo"), chdir: @program.folder)
      if moment
        sleep moment
      else
        writer.write("input\n\x04")
        begin
          wait(Program.patience(10)) { reader.read_nonblock(1000, exception: false).nil? }
        rescue StandardError
          nil
        end
      end
      [reader, writer].each(&:close)
      ended = wait(Program.patience(LONGEST)) { Process.wait(pid, Process::WNOHANG) }
      unless ended
        Process.kill(:KILL, pid) && failed("a terminal that hangs up after #{moment.inspect} s: the client goes on")
      end
      done = effects - before
      failed("a terminal that hangs up after #{moment.inspect} s: #{done} effects") if done > 1
    end

    # ---- a trace of another version, or whose standby is none ----

    def trace(random)
      pid = make_standby["pid"]
      path = file("trace")
      what = random.rand(5)
      case what
      when 0
        File.binwrite(path, [1 + (2 * random.rand(2))].pack("L"), 8) # an older or a newer version
      when 1
        File.binwrite(path, [[0, 1, Process.pid, 4_000_000, 0xffffffff].sample(random: random)].pack("L"), 12)
      when 2
        File.binwrite(path, [random.rand(4)].pack("L"), 28)
      when 3
        File.unlink(file("socket"))
      else
        File.binwrite(path, [random.rand(1 << 63)].pack("Q"), 16)
      end
      2.times { check("a trace that lies (#{what})") }
    ensure
      pid&.then do |process|
        begin
          Process.kill(:KILL, process)
        rescue StandardError
          nil
        end
      end
    end

    # ---- a command that runs itself ----

    def nested(random)
      client = [StandbyProgram::CLIENT, "--", @program.path("foo")]
      at_boot = random.rand(3).zero?
      options = "in: File::NULL, out: File::NULL, err: File::NULL"
      if at_boot
        @program.write(
          "lib/foo.rb",
          "X = 1\nENV['ATTACK_DEPTH'].to_i < 3 and system({'ATTACK_DEPTH' => ENV['ATTACK_DEPTH'].to_i.succ.to_s}, *#{client.inspect}, #{options})\n"
        )
      else
        @program.write(
          "more.rb",
          "File.readlines(File.join(__dir__, 'effects')).size < 4 and system(*#{client.inspect}, #{options})\n"
        )
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
      begin
        Process.kill(what == 1 ? :KILL : :CONT, pid)
      rescue StandardError
        nil
      end
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
