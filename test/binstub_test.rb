# frozen_string_literal: true

require "json"
require_relative "test_helper"
require_relative "support/command"
require_relative "support/installed_gem"

# `warmstart binstub`: a shell script that starts a program as `warmstart exec` does, and without Warmstart as usual.
class BinstubTest < TestCase
  include Command

  PROGRAM =
    "#!#{RbConfig.ruby}\np ARGV, ENV['RUBYOPT'], defined?(Warmstart::Native), $LOADED_FEATURES.grep(/rubygems\\.rb/).size, ENV['RUBYLIB']\n$stderr.puts 'err'\nexit 7\n"

  def tool(files = {})
    app = application("tools/say" => PROGRAM, **files)
    File.chmod(0o755, app.path("tools/say"))
    app
  end

  def environment(app, more = {})
    {
      "PATH" => "#{app.path("bin")}:#{app.path("tools")}:#{ENV["PATH"]}",
      "HOME" => app.home,
      "LANG" => "C.UTF-8",
      "GEM_HOME" => ENV["GEM_HOME"],
      "GEM_PATH" => ENV["GEM_PATH"]
    }.merge(more).compact
  end

  def run_file(app, path, *arguments, **more) =
    app.execute([path, *arguments], env: environment(app, more.transform_keys(&:to_s)))

  test "a binstub is what exec does, arguments and status included" do
    app = tool
    run = warmstart(app, "binstub", "say", "first", env: environment(app))
    assert_exit 0, run
    assert_equal "warmstart: wrote #{app.path("bin/say")}\n", run.stderr
    2.times do
      executed = warmstart(app, "exec", app.path("tools/say"), "first", "a b", "$x", "'", env: environment(app))
      stub = run_file(app, "say", "a b", "$x", "'")
      assert_equal [executed.stdout, "err\n", "exit 7"], [stub.stdout, stub.stderr, stub.status]
    end
    assert_includes run_file(app, app.path("bin/say")).stdout, "\"constant\""
    nested = run_file(app, "say", RUBYOPT: "-W0")
    assert_match(/start\.rb -W0"$/, nested.stdout)
    again = run_file(app, "say", RUBYOPT: nested.stdout[/"(-.*)"$/, 1])
    assert_equal nested.stdout, again.stdout, "nothing is put in front twice"
    # (written again, it does not start itself)
    assert_exit 0, warmstart(app, "binstub", "say", env: environment(app))
    assert_equal "exit 7", run_file(app, "say").status
  end

  test "the tool comes from the image: RubyGems, too" do
    app = tool
    warmstart(app, "binstub", "--to", "stub", "say", env: environment(app))
    2.times { run_file(app, "./stub") }
    warm = run_file(app, "./stub", WARMSTART_LOG: "1")
    assert_match(/^warmstart: hit .*rubygems\.rb$/, warm.stderr)
  end

  test "with --standby the program comes from a process that has booted it already" do
    skip "there is no client but on Linux" unless RUBY_PLATFORM.include?("linux")
    app =
      tool(
        "tools/talk" =>
          "#!#{RbConfig.ruby}\n$LOAD_PATH.unshift File.join(__dir__, 'lib')\nrequire 'talk'\np TALK, ARGV\n",
        "tools/lib/talk.rb" => "TALK = 1\n"
      )
    File.chmod(0o755, app.path("tools/talk"))
    assert_exit 0, warmstart(app, "binstub", "--standby", "talk", env: environment(app))
    runtime = File.join(app.base, "runtime").tap { |folder| Dir.mkdir(folder, 0o700) }
    more = { "WARMSTART_STANDBY" => "1", "XDG_RUNTIME_DIR" => runtime }
    standbys = -> { JSON.parse(warmstart(app, "standby", "status", "--json", env: environment(app, more)).stdout) }
    sleep 0.03
    assert_equal "1\n[\"a b\"]\n", run_file(app, "talk", "a b", **more).stdout
    60.times { standbys.call.any? { |one| one["state"] == "waits" } ? break : sleep(0.2) }
    assert_equal "1\n[\"a b\"]\n", run_file(app, "talk", "a b", **more).stdout
    assert_equal [1], standbys.call.map { |one| one["commands"] }
    assert_empty run_file(app, "talk", "a b", **more).stderr
  ensure
    warmstart(app, "standby", "stop", env: environment(app, more)) if more
  end

  test "when Warmstart has gone the program starts as usual" do
    app = tool
    mine = File.join(app.base, "gone")
    InstalledGem.copy(mine, "0.1.0")
    app
      .execute([RbConfig.ruby, File.join(mine, "exe/warmstart"), "binstub", "say"], env: environment(app))
      .then { |run| assert_exit 0, run }
    assert_includes run_file(app, "say").stdout, "#{mine}/lib/warmstart/start.rb"
    FileUtils.rm_rf(mine)
    plain = app.execute([app.path("tools/say")], env: environment(app))
    gone = run_file(app, "say")
    assert_equal [plain.stdout, plain.stderr, plain.status], [gone.stdout, gone.stderr, gone.status]
  end

  test "a Warmstart in a folder with a blank in its name comes by RUBYLIB" do
    app = tool
    mine = File.join(app.base, "my own")
    InstalledGem.copy(mine, "0.1.0")
    run = app.execute([RbConfig.ruby, File.join(mine, "exe/warmstart"), "binstub", "say"], env: environment(app))
    assert_exit 0, run
    assert_equal app.execute(
                   [RbConfig.ruby, File.join(mine, "exe/warmstart"), "exec", app.path("tools/say")],
                   env: environment(app)
                 ).stdout,
                 run_file(app, "say").stdout
  end

  test "no such command, somebody else's file, no place" do
    app = tool("bin/other" => "mine\n", "tools/other" => PROGRAM)
    run = warmstart(app, "binstub", "nonsense-command", env: environment(app))
    assert_equal ["exit 127", "warmstart: unknown command nonsense-command; check its name and PATH\n"],
                 [run.status, run.stderr]
    assert_exit 0, warmstart(app, "binstub", "--to", "new/folder/", "say", env: environment(app))
    assert File.executable?(app.path("new/folder/say"))
    Dir.mkdir(app.path("there"))
    assert_exit 0, warmstart(app, "binstub", "--to", "there", "say", env: environment(app))
    assert File.executable?(app.path("there/say"))
    run = warmstart(app, "binstub", "--to", "bin/other", "say", env: environment(app))
    assert_exit 1, run
    assert_complaint(%r{bin/other is not of this command's}, run)
    assert_equal "mine\n", File.read(app.path("bin/other"))
    assert_exit 2, warmstart(app, "binstub", env: environment(app))
    assert_exit 1, warmstart(app, "binstub", "--to", "Gemfile/x", "say", env: environment(app))
  end
end
