# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/command"

# Which script a process runs is what Ruby itself says, never a word of the command line that looks like a file's name.
class MainScriptTest < TestCase
  include Command

  # Says on stderr what Warmstart takes the application to be; required after it.
  SAY =
    "session = defined?(Warmstart) && Warmstart.session\nsession && $stderr.puts(\"root \#{session.location.root.inspect}\")\n"

  # What the main program says of itself on stdout: its file, or nil for code without one. (On Windows Ruby has the name in
  # the code page.)
  CODE =
    "puts(File.file?(__FILE__) && !%w[- -e].include?(__FILE__) ? File.realpath(__FILE__).encode('UTF-8').inspect : nil.inspect)\n"

  # Files in the working directory that a command line's words may be taken for.
  NAMES = [
    "-e",
    "-",
    "-e1",
    "print",
    "rake",
    "1",
    "-W0",
    "--",
    "x.rb",
    "a b.rb",
    "-x",
    "ruby",
    "-",
    "--disable-gems",
    "é.rb"
  ].uniq.freeze

  # Lines whose words are names of files there, and what Ruby runs is none of them, or only one.
  LINES = [
    ["-e", CODE],
    ["-e", CODE, "x.rb"],
    ["-W0", "-e", CODE, "--", "-e"],
    ["-e", CODE, "--", "print"],
    ["-ne", "print; BEGIN { #{CODE} }", "x.rb"],
    ["-pe", "BEGIN { #{CODE} }", "1"],
    ["-e", CODE, "-", "x.rb"],
    ["-I", ".", "-e", CODE, "rake"],
    ["-W0", "-ruri", "-e", CODE, "--disable-gems"],
    ["x.rb"],
    ["x.rb", "a b.rb"],
    %w[-W0 x.rb -e],
    %w[-I x.rb print rake],
    %w[-S rake print],
    %w[-S x.rb],
    %w[-C sub ../x.rb],
    %w[-C sub x.rb],
    %w[-- -e1],
    %w[-- -W0 x.rb],
    %w[./-e x.rb],
    ["./-"],
    ["a b.rb"],
    %w[-x x.rb],
    %w[-s x.rb -a b],
    %w[--disable-gems x.rb],
    ["é.rb"],
    ["ruby"],
    %w[-- -e],
    %w[-- -],
    ["-"],
    [],
    ["-W0"]
  ].freeze

  # The main program's own word for it: a file; or none, where it is code, and where its name cannot be told from
  # code's.
  def expected(run, words)
    return "nil" if [%w[-- -e], %w[-- -]].include?(words)

    run.stdout.lines(chomp: true).first
  end

  def names
    names = NAMES.to_h { |name| [name, name == "-x" ? "junk\n#!ruby\n#{CODE}" : CODE] }
    program = program({ **names, "sub/x.rb" => CODE, "bin/rake" => CODE, "say.rb" => SAY }, witness: false)
    program.age
    program
  end

  def environment(program, more = {})
    {
      "PATH" => [program.path("bin"), ENV["PATH"]].join(File::PATH_SEPARATOR),
      "LANG" => "C.UTF-8",
      "HOME" => program.home,
      "WARMSTART_CACHE_DIR" => program.cache,
      **more
    }
  end

  # (`ruby -x x.rb` looks for a line that begins with #!.)
  def input(words) =
    if words == %w[-x x.rb]
      ""
    else
      "junk\n#!ruby\n#{CODE}".then { |text| words.first == "-ne" ? "" : text.lines.drop(2).join }
    end

  { "-r" => ["-r", Program::SETUP], "RUBYOPT" => [], "exec" => [] }.each do |way, options|
    test "#{way}: nothing is guessed from words" do
      program = names
      say = "-r#{program.path("say.rb")}"
      File.write(program.path("x.rb"), "#!ruby\n#{CODE}")
      LINES.each do |words|
        next if Program::WINDOWS && way == "exec" && words == ["é.rb"] # (exec hands it over in UTF-8, Ruby has it in the code page)

        plain = program.execute([RbConfig.ruby, *words], env: environment(program), stdin: input(words))
        run =
          case way
          when "exec"
            program.execute(
              [RbConfig.ruby, WARMSTART, "exec", RbConfig.ruby, *words],
              env: environment(program, "RUBYOPT" => say),
              stdin: input(words)
            )
          when "RUBYOPT"
            program.execute(
              [RbConfig.ruby, *words],
              env: environment(program, "RUBYOPT" => "-r#{Program::SETUP} #{say}"),
              stdin: input(words)
            )
          else
            program.execute([RbConfig.ruby, *options, say, *words], env: environment(program), stdin: input(words))
          end
        assert_equal [plain.stdout, plain.status], [run.stdout, run.status], words.inspect
        assert_match(%r{\A(?:nil|"(?:[A-Z]:)?/.*")$}, plain.stdout, words.inspect)
        roots = run.stderr.scan(/^root (.*)$/).flatten
        assert_equal expected(plain, words), roots.last, [words, run.stderr].inspect
      end
    end
  end

  test "a program that gives itself the name of a file is not that file; nor is code without a file, or what evaluates it" do
    setup = Program::SETUP.dump
    asks = "require #{setup}\nputs Warmstart.session.location.root.inspect\n"
    program =
      program(
        {
          "rake" => "",
          "Gemfile" => "",
          "eval.rb" => "$0 = 'rake'\neval(File.read('asks.txt'))\n",
          "asks.txt" => asks
        },
        witness: false
      )
    [["-e", "$0 = 'rake'; #{asks}"], ["-e", "eval #{asks.dump}"], ["eval.rb"]].each do |words|
      assert_equal "nil\n", program.execute([RbConfig.ruby, *words], env: environment(program)).stdout, words.inspect
    end
    assert_equal "nil\n", program.execute([RbConfig.ruby], env: environment(program), stdin: asks).stdout
  end

  # ---- exec and what it hands over ----

  EARLY =
    "print Warmstart.session.instance_variable_get(:@early).inspect, ' ', Warmstart.session.location.root, ' ', ENV.key?('WARMSTART_PROGRAM'), ' ', " \
      "$LOADED_FEATURES.grep(/before_rubygems/).size, \"\\n\"\n"

  def tool(name, text, app)
    path = app.write("tools/#{name}", text)
    File.chmod(0o755, path)
    path
  end

  def exec_in(app, *words, env: {}) =
    warmstart(app, "exec", *words, env: { "PATH" => "#{app.path("tools")}:#{ENV["PATH"]}" }.merge(env))

  test "exec hands over which script its own process will run, and RubyGems comes from the image" do
    app = application
    ruby = RbConfig.ruby
    path = tool("say", "#!#{ruby}\n#{EARLY}", app)
    tool("env_say", "#!/usr/bin/env #{File.basename(ruby)}\n#{EARLY}", app)
    app.write("say.rb", EARLY)
    assert_equal "true #{app.folder} false 1\n", exec_in(app, "say").stdout
    assert_equal "true #{app.folder} false 1\n", exec_in(app, "say", "-e", "x").stdout
    assert_equal "true #{app.folder} false 1\n", exec_in(app, path).stdout
    assert_equal "true #{app.folder} false 1\n", exec_in(app, "tools/say").stdout
    assert_equal "true #{app.folder} false 1\n", exec_in(app, ruby, "say.rb", "x").stdout
    assert_equal "true #{app.folder} false 1\n",
                 exec_in(
                   app,
                   "env_say",
                   env: {
                     "PATH" => "#{app.path("tools")}:#{File.dirname(ruby)}:#{ENV["PATH"]}"
                   }
                 ).stdout
    exec_in(app, "say")
    assert_match(/^warmstart: hit .*rubygems\.rb$/, exec_in(app, "say", env: { "WARMSTART_LOG" => "1" }).stderr)
  end

  test "where exec cannot know the script, Ruby says it after RubyGems; so in every other process" do
    app =
      application(
        "say.rb" => EARLY,
        "main.rb" => "puts `#{RbConfig.ruby} say.rb`\nsystem(#{RbConfig.ruby.dump}, 'say.rb')\n#{EARLY}"
      )
    late = "false #{app.folder} false 0\n"
    tool("options", "#!#{RbConfig.ruby} -W0\n#{EARLY}", app)
    tool("shell", "#!/bin/sh\nexec #{RbConfig.ruby} say.rb\n", app)
    tool("waiting", "#!/bin/sh\n#{RbConfig.ruby} say.rb\n:\n", app)
    [
      ["options"],
      ["shell"],
      ["waiting"],
      ["sh", "-c", "#{RbConfig.ruby} say.rb"],
      [RbConfig.ruby, "-W0", "say.rb"],
      ["env", RbConfig.ruby, "say.rb"]
    ].each { |words| assert_equal late.sub("0\n", "1\n"), exec_in(app, *words).stdout.sub("0\n", "1\n"), words.inspect }
    lines = exec_in(app, RbConfig.ruby, "main.rb").stdout.lines
    assert_equal [late, late].map { |line| line.sub("0\n", "1\n") },
                 lines.first(2).map { |line| line.sub("0\n", "1\n") }
    assert_equal "true #{app.folder} false 1\n", lines[2]
  end

  test "a script that was handed over and is not what Ruby runs: plain Ruby" do
    app = application("other.rb" => "puts 'other', Warmstart.session.inspect\nrequire_relative 'lib/a'\n")
    before =
      "-I#{File.join(Program::REPOSITORY, "lib/warmstart/before_rubygems")} -r#{File.join(Program::REPOSITORY, "lib/warmstart/start.rb")}"
    run =
      lambda do |handed, *words|
        app.execute(
          [RbConfig.ruby, *words],
          env: {
            "PATH" => ENV["PATH"],
            "HOME" => app.home,
            "RUBYOPT" => before,
            "WARMSTART_PROGRAM" => handed,
            "WARMSTART_LOG" => "1"
          }
        )
      end
    [app.path("main.rb"), "/no/such/file", "\xff"].each do |handed|
      result = run.call("#{Process.pid} #{handed}", "other.rb")
      assert_equal ["other\nnil\n", "exit 0"], [result.stdout, result.status], handed.inspect
      refute_match(%r{(?:hit|miss) .*lib/a\.rb}, result.stderr)
    end
    # Bound to another process, or not understood: as if there were none.
    ["1 #{app.path("main.rb")}", "", "x", " ", Process.pid.to_s, "#{Process.pid} "].each do |text|
      assert_match(/\Aother\n#<Warmstart::Session/, run.call(text, "other.rb").stdout, text.inspect)
    end
    assert_equal "nil\n",
                 run.call(
                   "#{Process.pid} #{app.path("main.rb")}",
                   "--disable-gems",
                   "-e",
                   "p ENV['WARMSTART_PROGRAM']"
                 ).stdout
  end
end
