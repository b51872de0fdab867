# frozen_string_literal: true

require "json"
require "open3"
require_relative "program"

# A script in its own folder that is run by the standby's client (lib/warmstart/native/<build>/standby), with a runtime
# folder and an image of its own. The script's first line names the Ruby that runs this.
class StandbyProgram
  CLIENT =
    Dir[
      File.join(
        Program::REPOSITORY,
        "lib/warmstart/native/ruby-#{RUBY_VERSION[/\A\d+\.\d+/]}-#{RUBY_PLATFORM}*/standby"
      )
    ].first
  LIMIT = 30 # seconds, for one command

  Result =
    Struct.new(:stdout, :stderr, :status) do
      # What must be the same as in plain Ruby. The client may say one line on stderr.
      def visible = [stdout, stderr.lines.grep_v(/\Awarmstart: /).join, status]
    end

  attr_reader :base, :folder, :runtime

  # files: {relative path => content}; "foo" is the script, without its first line.
  def initialize(base, files)
    @base = File.realpath(base)
    @folder, @runtime, @cache, @home =
      %w[application runtime cache home].map { |name| File.join(@base, name).tap { |path| Dir.mkdir(path, 0o700) } }
    files.each { |name, content| write(name, content) }
  end

  def path(name) = File.join(folder, name)

  def write(name, content)
    FileUtils.mkdir_p(File.dirname(path(name)))
    File.write(
      path(name),
      (
        if name == "foo"
          "#!#{RbConfig.ruby}#{" --disable-gems" unless ENV["WARMSTART_TEST_GEMS"] == "1"}\n#{content}"
        else
          content
        end
      )
    )
    File.chmod(0o755, path(name)) if name == "foo"
  end

  def environment
    @environment ||= {
      "PATH" => ENV["PATH"],
      "LANG" => "C.UTF-8",
      "HOME" => @home,
      "GEM_HOME" => ENV["GEM_HOME"],
      "GEM_PATH" => ENV["GEM_PATH"],
      "LD_LIBRARY_PATH" => ENV["LD_LIBRARY_PATH"],
      "XDG_RUNTIME_DIR" => runtime,
      "WARMSTART_STANDBY" => "1",
      "WARMSTART_CACHE_DIR" => @cache,
      "RUBYOPT" => "-r#{Program::SETUP}"
    }.compact
  end

  # Runs the command by the client.
  def run(*command, env: {}, **options)
    command = [path("foo")] if command.empty?
    execute([CLIENT, "--", *command], environment.merge(env).compact, **options)
  end

  # Runs the command as if there were no Warmstart.
  def plain(*command, env: {}, **options)
    command = [path("foo")] if command.empty?
    execute(command, environment.reject { |name, _| name.match?(/WARMSTART|RUBYOPT/) }.merge(env).compact, **options)
  end

  def execute(command, env, chdir: folder, limit: LIMIT, stdin: "", **options)
    out, err, status =
      Open3.capture3(
        env,
        "timeout",
        "-k",
        "1",
        limit.to_s,
        *command,
        chdir: chdir,
        stdin_data: stdin,
        unsetenv_others: true,
        **options
      )
    Result.new(out, err, status.signaled? ? "signal #{status.termsig}" : status.exitstatus)
  end

  # What `standby --status` tells: [{"command" =>, "state" =>, "pid" =>, "commands" =>, "why" =>}]
  def status = JSON.parse(execute([CLIENT, "--status", "--json"], environment).stdout)

  # The standby of the last command, as soon as it waits or is known to be unfit.
  def settled(seconds: 15)
    deadline = now + seconds
    loop do
      found = status
      return found.first if found.any? && found.none? { |one| one["state"] == "boots" }
      raise "no standby in #{seconds} s: #{found}" if now > deadline

      sleep 0.03
    end
  end

  # Runs the command as often as needed until a standby waits, or is unfit. Returns what the status tells about it.
  def make(*command, **options)
    run(*command, **options)
    settled
  end

  def hits = status.sum { |one| one["commands"] }

  # The processes that stay behind.
  def left
    Dir["/proc/[0-9]*"].filter_map do |process|
      pid = File.basename(process).to_i
      if pid != Process.pid && File.binread("#{process}/environ").include?("XDG_RUNTIME_DIR=#{runtime}\0") &&
           !File.read("#{process}/stat")[/\) Z /]
        pid
      end
    rescue SystemCallError
      nil
    end
  end

  def stop
    execute([CLIENT, "--stop"], environment)
    deadline = now + 3
    sleep 0.02 while left.any? && now < deadline
    left.tap do |pids|
      pids.each do |pid|
        begin
          Process.kill(:KILL, pid)
        rescue StandardError
          nil
        end
      end
    end
  end

  private

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
end
