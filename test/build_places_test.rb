# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/command"

# `warmstart build -- COMMAND` makes the image that the same COMMAND reads, from wherever it is built and run.
class BuildPlacesTest < TestCase
  include Command

  # Says on stderr what of its own files came from the image, and from which.
  LONE = "require_relative 'lone_part'\nputs PART\n"

  def app
    @app ||=
      application(
        "plain.rb" => "require_relative 'lib/a'\nputs A\n",
        "bin/like_rails" => "require_relative '../config/boot'\nrequire_relative '../lib/a'\nputs A\n"
      )
  end

  # A script in a folder that belongs to no application.
  def lone
    folder = File.join(app.base, "scripts")
    FileUtils.mkdir_p(folder)
    File.write(File.join(folder, "lone_part.rb"), "PART = 'part'\n")
    path = File.join(folder, "lone")
    File.write(path, "#!#{RbConfig.ruby}\n#{LONE}")
    File.chmod(0o755, path)
    sleep Program::AGEING
    path
  end

  def run_as(way, words, where)
    environment = {
      "PATH" => ENV["PATH"],
      "LANG" => "C.UTF-8",
      "HOME" => app.home,
      "WARMSTART_LOG" => "1",
      "WARMSTART_READONLY" => "1"
    }
    environment["RUBYOPT"] = "-r#{Program::SETUP}" if way == :rubyopt
    words = [RbConfig.ruby, WARMSTART, "exec", *words] if way == :exec
    app.execute(words, env: environment, chdir: where)
  end

  # [command, how it is run, the file that must come from the image]
  def commands
    ruby = RbConfig.ruby
    {
      "a script that asks" => [[ruby, app.path("main.rb")], :itself, "lib/a.rb"],
      "a script like bin/rails" => [[ruby, app.path("bin/like_rails")], :itself, "lib/a.rb"],
      "a shell that runs a script that asks" => [["sh", "-c", "#{ruby} #{app.path("main.rb")}"], :itself, "lib/a.rb"],
      "a script of an application" => [[ruby, app.path("plain.rb")], :exec, "lib/a.rb"],
      "the same with RUBYOPT" => [[ruby, app.path("plain.rb")], :rubyopt, "lib/a.rb"],
      "-r" => [[ruby, "-r#{Program::SETUP}", app.path("plain.rb")], :itself, "lib/a.rb"],
      "-r, and the script asks" => [[ruby, "-r#{Program::SETUP}", app.path("main.rb")], :itself, "lib/a.rb"],
      "a script without a Gemfile" => [[ruby, lone], :exec, "lone_part.rb"],
      "a tool" => [[lone], :exec, "lone_part.rb"],
      "a shell that runs a script" => [["sh", "-c", "#{ruby} #{lone}; :"], :exec, "lone_part.rb"],
      "code" => [[ruby, "-e", "require #{app.path("lib/a.rb").dump}"], :exec, "lib/a.rb"]
    }.reject { |_, (words)| Program::WINDOWS && words.first != ruby } # (there are no shells, nor scripts that start a Ruby)
  end

  [[], ["--seal"], ["--portable"]].each do |options|
    test "build #{options.join} makes what the command reads, in its application and from elsewhere" do
      commands.each do |name, (words, way, file)|
        [app.folder, app.home].each do |where|
          FileUtils.rm_rf([image_folder(app), File.join(app.home, ".cache")])
          built = warmstart(app, "build", *options, "--", *words, chdir: where)
          if options == ["--seal"] && name == "code"
            assert_exit 1, built
            assert_match(/\A(?:a\n)?warmstart: a sealed image .*belongs to none.*\n\z/, said_by_build(built))
            next
          end
          assert_exit 0, built
          assert_match(
            /\Awarmstart: built \S+: .*; (?:\S+ reads it(?:, but only for this user on this machine; .*)?|'warmstart exec' and -r read it for .+)\n\z/,
            said_by_build(built),
            name
          )
          folder = built.stderr[/built (\S+):/, 1]
          run = run_as(way, words, where)
          assert_includes run.stderr, "warmstart: opened the boot image in #{folder}", "#{name} in #{where}"
          assert_match(%r{^warmstart: hit .*/#{Regexp.escape(file)}}, run.stderr, "#{name} in #{where}")
        end
      end
    end
  end

  test "keywords of Warmstart.setup count" do
    folder = File.join(app.base, "elsewhere")
    app.write(
      "keywords.rb",
      "require #{Program::SETUP.sub("/setup", "").dump}\nWarmstart.setup(cache_dir: #{folder.dump})\nrequire_relative 'lib/a'\n"
    )
    app.age
    built = warmstart(app, "build", "--", RbConfig.ruby, app.path("keywords.rb"), chdir: app.home)
    assert_match(%r{built #{Regexp.escape(folder)}/}, built.stderr)
    assert_match(%r{hit .*/lib/a\.rb}, run_as(:itself, [RbConfig.ruby, app.path("keywords.rb")], app.home).stderr)
  end

  test "--json prints to stdout, and no file is called --" do
    words = [RbConfig.ruby, "-e", "1"]
    [%w[--json], %w[--json -], %w[--json=-]].each do |json|
      run = warmstart(app, "profile", "--no-calls", *json, "--", *words)
      assert_exit 0, run
      assert_kind_of Hash, JSON.parse(run.stdout)
    end
    run = warmstart(app, "profile", "--json", "p.json", "--no-calls", "--", *words)
    assert_equal "", run.stdout
    assert_kind_of Hash, JSON.parse(File.read(app.path("p.json")))
    wrong = [
      %w[profile --json x.json ruby -e 1],
      %w[profile --html -- ruby -e 1],
      %w[profile --firefox -- ruby],
      %w[bench --svg -- ruby -e 1],
      %w[status --root --],
      %w[build --image -- ruby -e 1],
      %w[binstub --to -- ruby],
      %w[init --root --],
      %w[status --jsn],
      %w[env x],
      %w[verify x],
      %w[why --json],
      %w[bench --runs x -- ruby]
    ]
    wrong.each do |line|
      run = warmstart(app, *line)
      assert_exit 2, run
      assert_equal ["", 1], [run.stdout, run.stderr.lines.size], line.inspect
    end
    assert_empty Dir.glob("{--,x.json}", base: app.folder)
    [%w[status --json], %w[verify --json], %w[why --json lib/a.rb], %w[env --json]].each do |line|
      assert JSON.parse(warmstart(app, *line).stdout), line.inspect
    end
  end
end
