# frozen_string_literal: true

require "fileutils"
require "rbconfig"
require "rubygems"
require "tmpdir"

# A Ruby program in its own folder. It is run in fresh processes, plain and with Warmstart; the first boot with
# Warmstart records, and later ones are warm. Its image is in a cache folder beside it.
class Program
  REPOSITORY = File.expand_path("../..", __dir__)
  SETUP = File.join(REPOSITORY, "lib/warmstart/setup.rb")
  SUPPORT = __dir__

  # So many seconds on a quiet machine. WARMSTART_PATIENCE says how much slower this one is (bin/test measures it). It is
  # for waits that end with an event: when such a time is over, a test has failed.
  def self.patience(seconds) = seconds * Float(ENV.fetch("WARMSTART_PATIENCE", "1"))

  TIMEOUT = patience(60)
  NOBODY = 65_534
  # As root is in a container with --cap-drop=ALL.
  CAPABLE_OF_LITTLE = %w[setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-all].freeze
  RUBY_NUMBER = Gem::Version.new(RUBY_VERSION)

  WINDOWS = !File::ALT_SEPARATOR.nil?
  # How a program ends that sends itself SIGTERM. (ruby_default_signal calls raise(3), which Windows' C library answers by
  # ending the process.)
  TERMINATED = WINDOWS ? "exit 3" : "signal TERM"

  # Hardly any program starts on Windows without these.
  WINDOWS_VARIABLES = %w[
    SystemRoot
    SystemDrive
    windir
    ComSpec
    PATHEXT
    TEMP
    TMP
    USERPROFILE
    LOCALAPPDATA
    APPDATA
    ProgramData
  ].freeze

  # A file that is younger than the file system's clock is not recorded. The kernel's tick is at most 10 ms.
  AGEING = WINDOWS ? 0.1 : 0.03

  # The result of a run. state: the text of witness.rb; events: ["hit a.rb", ...]; both are empty after exit! or a
  # signal.
  Run =
    Struct.new(:stdout, :stderr, :status, :state, :events, keyword_init: true) do
      # Everything that must be the same as in plain Ruby, as text.
      def transcript
        [
          "status: #{status}",
          *stdout.lines(chomp: true).map { |line| "stdout: #{line}" },
          *stderr.lines(chomp: true).map { |line| "stderr: #{line}" },
          state
        ].join("\n")
      end

      # The paths of the events of one kind.
      def files(event)
        events.filter_map { |line| line.split[1] if line.start_with?("#{event} ") }.uniq.sort
      end

      def hits = files("hit")

      # The lines on stderr that Warmstart printed.
      def complaints = stderr.lines(chomp: true).grep(/\Awarmstart: /)

      def without_complaints = dup.tap { |run| run.stderr = stderr.lines.grep_v(/\Awarmstart: /).join }
    end

  attr_reader :base, :folder, :cache, :home

  # files: {relative path => content}; a Symbol as content is the target of a symlink (where a
  # test on Windows is skipped: few users may make one there).
  def initialize(base, files, main: "main.rb", args: [], env: {}, load_path: [""], stdin: "", witness: true)
    @base = File.realpath(base)
    @files = files
    @main = main
    @args = args
    @env = env
    @load_path = load_path
    @stdin = stdin
    @witness = witness
    @prefix = []
    @folder, @cache, @home =
      %w[application cache home].map { |name| File.join(@base, name).tap { |path| Dir.mkdir(path) } }
    restore
  end

  def path(name) = File.join(folder, name)

  # Writes a file as somebody else would while the program does not run.
  def write(name, content)
    path = path(name)
    FileUtils.mkdir_p(File.dirname(path))
    # (writing to a FIFO would block, and writing to a link would change its target)
    FileUtils.rm_rf(path) if File.symlink?(path) || !File.file?(path)
    raise Minitest::Skip, WindowsTests::LINKS if WINDOWS && content.is_a?(Symbol)

    content.is_a?(Symbol) ? File.symlink(content.to_s, path) : File.binwrite(path, content)
    @young = true
    path
  end

  # Changes a file's times, as somebody else would while the program does not run.
  def set_times(name, time)
    File.utime(time, time, path(name))
    @young = true
  end

  # Restores the folder to the state before a run changed it.
  def restore
    present =
      Dir
        .glob("**/*", File::FNM_DOTMATCH, base: folder)
        .map(&:b)
        .reject { |name| name.end_with?(".") || File.directory?(path(name)) }
    (present - @files.keys.map(&:b)).each { |name| File.unlink(path(name)) }
    @files.each { |name, content| write(name, content) unless same?(name, content) }
  end

  def age
    sleep(AGEING) if @young
    @young = false
  end

  # Runs it without Warmstart.
  def plain(**options) = run([], **options)

  # Runs it with Warmstart; the first boot records.
  def boot(image: nil, **options)
    env = options.delete(:env) || {}
    env = { "WARMSTART_IMAGE_DIR" => image }.merge(env) if image
    run(["-r", SETUP, *(["-r", File.join(SUPPORT, "events.rb")] if @witness)], env: env, **options)
  end

  # Runs it under a tracer, whose command precedes Ruby's. plain: without Warmstart.
  def traced(tracer, plain: false, image: nil, env: {})
    age
    env = { "WARMSTART_IMAGE_DIR" => image }.merge(env) if image
    requires = plain ? [] : ["-r", SETUP]
    execute([*tracer, RbConfig.ruby, *@args, *requires, path(@main)], env: base_environment.merge(@env, env).compact)
  end

  # The same program in a folder of the same name somewhere else. It shares the cache.
  # @yield [Program]
  def moved
    other = dup
    other.instance_variable_set(:@folder, File.join(base, "elsewhere", File.basename(folder)))
    FileUtils.mkdir_p(File.dirname(other.folder))
    FileUtils.cp_r(folder, other.folder, preserve: true) unless File.exist?(other.folder)
    sleep AGEING
    yield other
  end

  # Makes a sealed image from the recorded one. Returns the new image's folder, or nil if nothing was recorded.
  def seal(load_path: @load_path)
    sealed = File.join(base, "sealed")
    recorded = image_folder or return
    load_path = load_path.map { |name| File.expand_path(name, folder) }
    root = File.file?(path("Gemfile")) ? folder : File.realpath(path(@main))
    arguments = [recorded, sealed, root, *load_path]
    result = ruby(*@args, File.join(SUPPORT, "seal.rb"), *arguments)
    raise "cannot seal: #{result.stdout}#{result.stderr}" unless result.status == "exit 0"

    sealed
  end

  # The folder of the recorded image's files, or nil.
  def image_folder = Dir[File.join(cache, "*", "*.manifest")].map { |path| File.dirname(path) }.first

  # From here on the program runs as an unprivileged user who owns its folders. (If this process is not root's, it does
  # so anyway.)
  def as_nobody
    return unless Process.uid.zero?

    FileUtils.chown_R(NOBODY, NOBODY, base)
    @prefix = ["setpriv", "--reuid=#{NOBODY}", "--regid=#{NOBODY}", "--clear-groups"]
  end

  # The files of the image.
  def manifests = Dir[File.join(cache, "*", "*.manifest")]
  def segments = Dir[File.join(cache, "*", "*.segment")]

  # Runs any Ruby code in the same environment.
  def ruby(*arguments, env: {}, **options)
    age
    execute([*@prefix, RbConfig.ruby, *arguments], env: base_environment.merge(@env, env).compact, **options)
  end

  # Runs a command and waits for it. env: nil removes a variable.
  def execute(command, env:, chdir: folder, stdin: "", timeout: TIMEOUT)
    outputs = Array.new(2) { IO.pipe }
    input, feed = IO.pipe
    group = WINDOWS ? { new_pgroup: true } : { pgroup: true }
    pid =
      Process.spawn(
        env,
        *command,
        chdir: chdir,
        in: input,
        out: outputs[0][1],
        err: outputs[1][1],
        unsetenv_others: true,
        **group
      )
    input.close
    readers =
      outputs.map do |reader, writer|
        writer.close
        Thread.new { reader.read }
      end
    Thread.new do
      begin
        feed.write(stdin)
      rescue StandardError
        nil
      end
      feed.close
    end
    status = wait(pid, timeout)
    Run.new(stdout: text(readers[0].value), stderr: text(readers[1].value), status: status, state: "", events: [])
  ensure
    outputs.flatten.each(&:close)
  end

  private

  # script: the words that name the program if it is not a file, as ["-e", "p 1"].
  def run(
    requires,
    env: {},
    args: @args,
    chdir: folder,
    stdin: @stdin,
    prefix: @prefix,
    script: [path(@main)],
    arguments: [],
    timeout: TIMEOUT
  )
    age
    state, events = %w[state events].map { |name| File.join(base, "#{name}.txt") }
    FileUtils.rm_f([state, events])
    witness = @witness ? ["-r", File.join(SUPPORT, "witness.rb")] : []
    environment =
      base_environment.merge(
        "WITNESS_APPLICATION" => folder,
        "WITNESS_STATE" => state,
        "WITNESS_EVENTS" => events,
        **@env,
        **env
      ).compact
    load_path = [*@load_path, *more_folders].flat_map { |name| ["-I", File.expand_path(name, folder)] }
    command = [*prefix, RbConfig.ruby, *args, *load_path, *witness, *requires, *script, *arguments]
    began = Time.now
    result = execute(command, env: environment, chdir: chdir, stdin: stdin, timeout: timeout)
    @young ||= written_since?(began)
    result.state = text(File.exist?(state) ? File.read(state) : "")
    result.events = File.exist?(events) ? File.read(events).scrub.lines(chomp: true) : []
    result
  end

  # With WARMSTART_TEST_LONG_LOAD_PATH=1, as in bin/deep, the load path of all programs that are compared with plain Ruby
  # is long, so that a first boot has an index, too (Session#index_at_once). Each second one of the folders exists. (Not
  # where a test's clock stands still: it would stand still while the program waits for the index.)
  def more_folders
    return [] unless @witness && !@env["TEST_CLOCK"] && ENV["WARMSTART_TEST_LONG_LOAD_PATH"] == "1"

    folders = Array.new(70) { |number| File.join(base, "more", number.to_s) }
    folders.each_slice(2) { |_, existing| FileUtils.mkdir_p(existing) }
  end

  # Whether a file is of now, by the kernel's clock, which is a few milliseconds behind.
  def written_since?(time)
    Dir.glob("**/*", base: folder).any? { |name| File.lstat(path(name)).ctime > time - 0.01 }
  rescue SystemCallError # (the program has changed more than that)
    true
  end

  def base_environment
    {
      "PATH" => ENV["PATH"],
      "LANG" => "C.UTF-8",
      "HOME" => home,
      "WARMSTART_CACHE_DIR" => cache,
      "GEM_HOME" => ENV["GEM_HOME"],
      "GEM_PATH" => ENV["GEM_PATH"],
      **windows_environment
    }.compact
  end

  def windows_environment = WINDOWS ? WINDOWS_VARIABLES.to_h { |name| [name, ENV[name]] } : {}

  def wait(pid, timeout)
    waiter = Process.detach(pid)
    return "no answer in #{timeout.round(1)} s" unless waiter.join(timeout) || !killed?(pid, waiter)

    status = waiter.value
    status.signaled? ? "signal #{Signal.signame(status.termsig)}" : "exit #{status.exitstatus}"
  end

  # Returns false if the process has ended by itself meanwhile.
  def killed?(pid, waiter)
    Process.kill(:KILL, WINDOWS ? pid : -pid)
    waiter.join
    true
  rescue Errno::ESRCH
    false
  end

  # Addresses differ between processes, so they are replaced; so is what a thread has to hear of when Ruby tells of a
  # deadlock (rb_check_deadlock), which differs from moment to moment.
  def text(bytes)
    bytes
      .dup
      .force_encoding(Encoding::UTF_8)
      .scrub
      .gsub(/0x\h{8,16}/, "0x...")
      .gsub(/(?<=native:0x\.\.\. int:)\d+/, "...")
  end

  def same?(name, content)
    path = path(name)
    return File.symlink?(path) && File.readlink(path) == content.to_s if content.is_a?(Symbol)

    File.file?(path) && !File.symlink?(path) && File.binread(path) == content.b
  end
end
