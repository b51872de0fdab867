# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/command"
require_relative "../lib/warmstart"
require_relative "../lib/warmstart/configuration"
require_relative "../lib/warmstart/location"

# Which application a process belongs to: the folder above its own file that has a Gemfile, unless others may put one
# there.
class ApplicationTest < TestCase
  include Command

  ATTACKER = 12_345

  # What somebody puts into a folder in which everybody may make files.
  PLANTED = { "Gemfile" => "", "gems.rb" => "", "config/application.rb" => "" }.freeze
  CONFIGURATION = "puts 'the code of another user'\n"

  # How a script below comes to use Warmstart: {name => [its first lines, options of Ruby, environment]}.
  WAYS = {
    "-r" => ["", ["-r", Program::SETUP], {}],
    "RUBYOPT" => ["", [], { "RUBYOPT" => "-r#{Program::SETUP}" }],
    "exec" => [
      "",
      [],
      {
        "RUBYOPT" =>
          "-I#{File.join(Program::REPOSITORY, "lib/warmstart/before_rubygems")} -r#{Program::SETUP.sub("setup", "start")}"
      }
    ],
    "a script that requires warmstart/setup" => ["require #{Program::SETUP.dump}\n", [], {}],
    "a script that calls Warmstart.setup" => [
      "require #{Program::SETUP.sub("/setup", "").dump}\nWarmstart.setup\n",
      [],
      {}
    ]
  }.freeze

  SCRIPT =
    "require_relative 'part'\nputs PART\nwarn Warmstart.session.directory if defined?(Warmstart) && Warmstart.session\n"

  # A folder of many (like /tmp) with somebody's files, and a user's script in a folder of the user's below it.
  def shared_folder(mode, marker, owner: nil, config: CONFIGURATION)
    shared = File.join(File.realpath(temporary_folder), "shared")
    FileUtils.mkdir_p(
      [File.join(shared, "config"), File.join(shared, "mine"), File.join(shared, "tmp/cache/warmstart")]
    )
    File.write(File.join(shared, marker), "")
    File.write(File.join(shared, "config/warmstart.rb"), config)
    if Process.uid.zero?
      FileUtils.chown_R(
        ATTACKER,
        ATTACKER,
        %w[Gemfile gems.rb config tmp].map { |name| File.join(shared, name) }.select { |path| File.exist?(path) }
      )
    end
    File.write(File.join(shared, "mine/part.rb"), "PART = 'part'\n")
    File.chown(owner, nil, shared) if owner
    File.chmod(mode, shared)
    sleep Program::AGEING
    shared
  end

  def run_script(shared, way)
    lines, options, environment = WAYS.fetch(way)
    script = File.join(shared, "mine/script.rb")
    File.write(script, lines + SCRIPT)
    home = File.join(File.dirname(shared), "home")
    FileUtils.mkdir_p(home)
    program = program({}, witness: false)
    program.execute(
      [RbConfig.ruby, *options, script],
      env: {
        "PATH" => ENV["PATH"],
        "LANG" => "C.UTF-8",
        "HOME" => home,
        **environment
      },
      chdir: home
    )
  end

  # The image's folder, and the other lines on stderr.
  def split(run)
    folders, lines = run.stderr.lines(chomp: true).partition { |line| line.start_with?("/") }
    [folders.first, lines]
  end

  FOLDERS = {
    "sticky and writable by all, as /tmp" => [0o1777, nil],
    "writable by all" => [0o777, nil],
    "sticky and writable by its group" => [0o1775, nil],
    "of another user" => [0o755, ATTACKER]
  }.freeze

  FOLDERS.each do |kind, (mode, owner)|
    test "a folder #{kind} is no application of what lies below" do
      skip "only root can give a folder to another user" if owner && !Process.uid.zero?
      PLANTED.each_key do |marker|
        shared = shared_folder(mode, marker, owner: owner)
        WAYS.each_key do |way|
          2.times do
            run = run_script(shared, way)
            assert_equal ["exit 0", "part\n"], [run.status, run.stdout], "#{way}, #{marker}"
            folder, lines = split(run)
            assert folder.start_with?(File.join(File.dirname(shared), "home")), "#{way}, #{marker}: #{folder}"
            # (One line where the application's own image would have been used; a script that did not ask is not told.)
            expected =
              (
                if way.start_with?("a script")
                  [
                    /\Awarmstart: name the application by Warmstart.setup\(root: "#{shared}"\) if it is yours; it is passed over: #{shared} /
                  ]
                else
                  []
                end
              )
            assert_equal expected.size, lines.size, lines.inspect
            expected.zip(lines) { |pattern, line| assert_match pattern, line }
          end
        end
      end
    end
  end

  test "nor is one above such a folder" do
    shared = shared_folder(0o755, "Gemfile")
    below = File.join(shared, "below")
    FileUtils.mkdir_p(File.join(below, "mine"))
    File.write(File.join(below, "mine/part.rb"), "PART = 'part'\n")
    File.chmod(0o1777, below)
    WAYS.each_key do |way|
      run = run_script(below, way)
      assert_equal ["exit 0", "part\n"], [run.status, run.stdout], way
    end
  end

  test "a lone script that asks, in a folder where everybody may make files, has its image at home" do
    shared = shared_folder(0o1777, "Gemfile")
    File.unlink(File.join(shared, "Gemfile"))
    FileUtils.mv(File.join(shared, "mine/part.rb"), shared)
    lines, = WAYS.fetch("a script that requires warmstart/setup")
    File.write(File.join(shared, "script.rb"), lines + SCRIPT)
    run =
      program({}, witness: false).execute(
        [RbConfig.ruby, File.join(shared, "script.rb")],
        env: {
          "PATH" => ENV["PATH"],
          "HOME" => File.dirname(shared)
        }
      )
    assert_equal "part\n", run.stdout
    folder, others = split(run)
    assert folder.start_with?(File.join(File.dirname(shared), ".cache")), folder
    assert_empty others
  end

  # [mode, owner of the folder, owner of the script, who runs it, is it an application?]. A group may write where its
  # members could exchange the script's folder as well (not sticky): homes are so where the umask is 002.
  RULE = [
    [0o755, 0, 0, 0, true],
    [0o755, 1, 1, 1, true],
    [0o755, 0, 1, 1, true],
    [0o755, 1, 1, 0, true],
    [0o755, 1, 1, 2, true],
    [0o755, 2, 1, 1, false],
    [0o755, 1, 0, 0, false],
    [0o755, 2, 0, 1, false],
    [0o775, 1, 1, 1, true],
    [0o2775, 0, 1, 1, true],
    [0o770, 1, 1, 0, true],
    [0o775, 2, 1, 1, false],
    [0o1775, 1, 1, 1, false],
    [0o1770, 1, 1, 1, false],
    [0o1755, 1, 1, 1, true],
    [0o777, 1, 1, 1, false],
    [0o757, 1, 1, 1, false],
    [0o702, 1, 1, 1, false],
    [0o1777, 0, 1, 1, false],
    [0o1777, 0, 0, 0, false]
  ].freeze

  # Runs the block as that user.
  def as_user(uid)
    return yield if uid.zero?

    Process::UID.change_privilege(uid)
    yield
  end

  test "who may have put a Gemfile there decides" do
    skip "only root can give folders to others" unless Process.uid.zero?
    users = [0, ATTACKER, ATTACKER + 1]
    base = temporary_folder
    File.chmod(0o755, base)
    RULE.each_with_index do |(mode, owner, script_owner, runs, accepted), index|
      folder = File.join(File.realpath(base), index.to_s)
      script = File.join(folder, "bin/script.rb")
      FileUtils.mkdir_p(File.dirname(script))
      [script, File.join(folder, "Gemfile")].each { |path| File.write(path, "") }
      File.chown(users[script_owner], users[script_owner], script, File.dirname(script))
      File.chown(users[owner], users[owner], folder)
      File.chmod(mode, folder)
      reader, writer = IO.pipe
      pid =
        fork do
          as_user(users[runs]) do
            writer.write(Warmstart::Location.new(Warmstart::Configuration.new({}, {}), script: script).root)
          end
          writer.close
          exit!(0)
        end
      writer.close
      Process.wait(pid)
      assert_equal accepted ? folder : script, reader.read, "#{mode.to_s(8)} #{[owner, script_owner, runs]}"
    end
  end

  # ---- config/warmstart.rb ----

  def asking_application
    application(
      "config/warmstart.rb" => "puts 'configured'\n",
      "plain.rb" => "puts 'plain'\n",
      "late.rb" => "puts 'late'\nrequire_relative 'config/boot'\nputs 'booted'\n"
    )
  end

  test "config/warmstart.rb is read when the application asks, and not for -r, RUBYOPT or exec" do
    app = asking_application
    environment = { "PATH" => ENV["PATH"], "LANG" => "C.UTF-8", "HOME" => app.home }
    ways = [[["-r", Program::SETUP], {}], [[], { "RUBYOPT" => "-r#{Program::SETUP}" }]]
    run = ->(name, options, more) do
      app.execute([RbConfig.ruby, *options, app.path(name)], env: environment.merge(more))
    end
    assert_equal "late\nconfigured\nbooted\n", run.call("late.rb", [], {}).stdout
    ways.each do |options, more|
      # (late.rb: Ruby does not load warmstart/setup twice.)
      assert_equal %W[plain\n late\nbooted\n], %w[plain.rb late.rb].map { |name| run.call(name, options, more).stdout }
    end
    assert_equal "plain\n", warmstart(app, "exec", RbConfig.ruby, "plain.rb").stdout
    assert_equal "late\nconfigured\nbooted\n", warmstart(app, "exec", RbConfig.ruby, "late.rb").stdout
  end

  # ---- bytes that are no characters ----

  test "an application in a folder whose name is no text has an image" do
    skip "names are text here" if Program::WINDOWS || RUBY_PLATFORM.include?("darwin")

    app = application
    folder = File.join(app.base.b, "app\xFF".b)
    FileUtils.cp_r(app.folder.b, folder)
    %w[C.UTF-8 C].each do |language|
      environment = { "PATH" => ENV["PATH"], "LANG" => language, "HOME" => app.home, "WARMSTART_STATS" => "1" }
      runs =
        Array.new(2) { app.execute([RbConfig.ruby, File.join(folder, "main.rb")], env: environment, chdir: folder) }
      assert_equal ["exit 0"] * 2, runs.map(&:status), runs.map(&:stderr).join
      assert_match(/^warmstart: hit: 2$/, runs.last.stderr)
    end
  end

  # ---- the command line ----

  test "commands take no application from a folder in which everybody may make files" do
    shared = shared_folder(0o1777, "Gemfile")
    File.write(File.join(shared, "Gemfile"), "puts 'the code of another user'\n")
    app = application
    [%w[status], %w[build --all], %w[why json], %w[verify], %w[clear], %w[binstub ruby], %w[init]].each do |words|
      run = warmstart(app, *words, chdir: File.join(shared, "mine"))
      assert_exit 1, run
      assert_equal "", run.stdout
      assert_match(
        /\Awarmstart: the application in #{shared} is passed over: #{shared} is writable by others; name it by --root if it is yours\n\z/,
        run.stderr,
        words.inspect
      )
    end
    assert_exit 1, warmstart(app, "status", "--root", shared, chdir: shared)
  end

  test "a shared folder of releases gives no application its name" do
    shared = File.realpath(temporary_folder)
    script = File.join(shared, "releases/1/script.rb")
    FileUtils.mkdir_p(File.dirname(script))
    [script, File.join(File.dirname(script), "Gemfile")].each { |path| File.write(path, "") }
    File.symlink("releases/1", File.join(shared, "current"))
    identity = -> { Warmstart::Location.new(Warmstart::Configuration.new({}, {}), script: script).identity }
    assert identity.call.start_with?("#{File.basename(shared)}-")
    File.chmod(0o1777, shared)
    assert identity.call.start_with?("1-")
  end
end
