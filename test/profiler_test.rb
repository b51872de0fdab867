# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/command"

# The collecting half of the profiler: what a profile holds, and that the program does not notice.
class ProfilerTest < TestCase
  PREFIX = [RbConfig.ruby, Command::WARMSTART, "profile"].freeze

  # Seconds, as Ruby code. (Ruby for Windows has no clock for a thread.)
  CPU_TIME =
    (
      if Program::WINDOWS
        "Process.times.then { |times| times.utime + times.stime }"
      else
        "Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)"
      end
    )

  # Runs the program under `warmstart profile --json`: [Run, profile or nil].
  def profile(program, *options, **run_options)
    file = File.join(program.base, "profile.json")
    FileUtils.rm_f(file)
    run = program.plain(prefix: [*PREFIX, "--json", file, *options, "--"], **run_options)
    [run, File.file?(file) && File.size(file).positive? ? JSON.parse(File.read(file)) : nil]
  end

  def assert_unnoticed(files, **options)
    program = program(files, **options)
    plain = program.plain
    program.restore
    run, profile = profile(program)
    assert plain.transcript == run.transcript,
           -> { "differs from plain Ruby\n#{line_diff(plain.transcript, run.transcript)}" }
    assert_sums profile
    profile
  end

  # What every profile must satisfy.
  def assert_sums(profile)
    nodes = profile.fetch("nodes")
    assert_equal ["main", 0], profile.fetch("threads").first.values_at("name", "root")
    nodes.each_with_index { |node, index| assert_equal index, node.fetch("id") }
    nodes.each { |node| assert_operator node["parent"], :<, node["id"] if node["parent"] }
    profile
      .fetch("threads")
      .each do |thread|
        own = nodes.select { |node| node.fetch("thread") == thread.fetch("id") }
        total = nodes.fetch(thread.fetch("root")).fetch("total")
        total.each do |metric, value|
          assert_equal value, own.sum { |node| node.fetch("self").fetch(metric, 0) }, "#{thread["name"]}: #{metric}"
        end
      end
    nodes.each { |node| assert_operator node["end_ns"], :>=, node["start_ns"] }
  end

  def nodes(profile, kind) = profile.fetch("nodes").select { |node| node["kind"] == kind }
  def names(profile, kind) = nodes(profile, kind).map { |node| node["name"] }
  def find(profile, name) = profile.fetch("nodes").find { |node| node["name"] == name } || flunk("no node #{name}")

  # The program's own nodes: [kind, name, depth below the program].
  def outline(profile, folder)
    depths = {}
    profile
      .fetch("nodes")
      .filter_map do |node|
        depths[node["id"]] = node["parent"] ? depths[node["parent"]] + 1 : 0
        [node["kind"], node["name"], depths[node["id"]]] if node["path"]&.start_with?(folder)
      end
  end

  test "a tree of what is required, loaded and autoloaded" do
    files = {
      "main.rb" =>
        "require 'a'\nrequire_relative 'sub/b'\nload 'l.rb'\nrequire 'a'\nautoload :Auto, 'auto'\nAuto\nbegin; require 'nowhere'; rescue LoadError; end\n",
      "a.rb" => "require 'deep/c'\n",
      "deep/c.rb" => "C = 1\n",
      "sub/b.rb" => "require 'a'\n",
      "l.rb" => "L = 1\n",
      "auto.rb" => "class Auto; end\n"
    }
    program = program(files)
    run, profile = profile(program)
    assert_equal "exit 0", run.status, run.stderr
    assert_equal [
                   ["require", "a", 1],
                   ["require", "deep/c", 2],
                   ["require_relative", "sub/b", 1],
                   ["load", "l.rb", 1],
                   ["autoload", "auto", 1]
                 ],
                 outline(profile, program.folder)
    failed = find(profile, "nowhere")
    assert_equal ["failed", "LoadError: cannot load such file -- nowhere"], failed.values_at("result", "error")
    assert_equal "#{program.path("main.rb")}:1", find(profile, "a")["from"]
    assert_equal program.path("deep/c.rb"), find(profile, "deep/c")["path"]
    assert_equal 1, find(profile, "sub/b")["self"]["repeated_requires"]
    assert_equal %w[program ruby finish], profile["nodes"].map { |node| node["kind"] } & %w[program ruby finish]
    assert_sums profile
  end

  test "time, objects and memory go to the file that uses them" do
    files = {
      "main.rb" => "require 'objects'\nrequire 'sleeper'\nrequire 'collector'\nrequire 'evals'\nrequire 'cpu'\n",
      "objects.rb" => "KEPT = Array.new(200_000) { Object.new }\n",
      "sleeper.rb" => "sleep 0.2\n",
      "collector.rb" => "5.times { GC.start }\n",
      "evals.rb" =>
        "50.times { |i| Object.class_eval(\"def m\#{i}; end\") }\nClass.new.new.instance_eval('1')\nString.class_eval { 1 }\n",
      "cpu.rb" => "start = #{CPU_TIME}\nnil until #{CPU_TIME} - start > 0.1\n"
    }
    _, profile = profile(program(files))
    assert_operator find(profile, "objects")["self"]["objects"], :>=, 200_000
    assert_operator find(profile, "objects")["self"]["memory_bytes"], :>, 4_000_000
    assert_operator find(profile, "objects")["self"]["bytes"], :>=, 8_000_000
    sleeper = find(profile, "sleeper")["self"]
    assert_operator sleeper["wall_ns"], :>=, 200_000_000
    assert_operator sleeper.fetch("cpu_ns", 0), :<, 100_000_000
    assert_operator find(profile, "collector")["self"]["gc_count"], :>=, 5
    assert_operator find(profile, "collector")["self"]["gc_ns"], :>, 0
    assert_equal 51, find(profile, "evals")["self"]["evals"]
    assert_operator find(profile, "evals")["self"]["eval_compile_ns"], :>, 0
    # (Windows counts in steps of 16 ms.)
    assert_operator find(profile, "cpu")["self"]["cpu_ns"], :>=, Program::WINDOWS ? 60_000_000 : 100_000_000
  end

  test "the program does not notice" do
    assert_unnoticed(
      {
        "main.rb" => <<~RUBY,
        require "a"
        p ENV.to_h.slice("RUBYOPT", "RUBYLIB", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES"), ENV.keys.grep(/PROFILE/)
        p caller, Kernel.instance_method(:require), method(:load), Module.instance_method(:class_eval), BasicObject.instance_method(:instance_eval)
        p Module.instance_method(:class_eval).arity, method(:load).arity, method(:require_relative).arity
        def attempt
          yield
        rescue Exception => error
          p error.class, error.message, error.backtrace, (error.path if error.respond_to?(:path)), (error.path.frozen? if error.respond_to?(:path))
        end
        attempt { require "nowhere" }
        attempt { require_relative "nowhere" }
        attempt { load "nowhere.rb" }
        attempt { require "raises" }
        attempt { require_relative "raises" }
        attempt { load "raises.rb" }
        attempt { load File.expand_path("raises.rb", __dir__), true }
        attempt { require "broken" }
        attempt { require nil }
        attempt { load nil }
        attempt { load }
        attempt { require_relative 1 }
        attempt { Object.class_eval("raise 'inside'") }
        attempt { Object.class_eval("raise 'inside'", "named.rb", 7) }
        attempt { Object.class_eval("1", 2, 3, 4) }
        attempt { Object.class_eval("1") { 2 } }
        attempt { "x".instance_eval("nonsense_method") }
        attempt { Object.class_eval }
        p Class.new { class_eval("def a; __method__; end") }.new.a, "x".instance_eval { self }, "x".instance_eval("size"), Object.new.instance_eval { |o| o.class }
        def self.leaving = ($proc = proc { return 5 }; require "leaves")
        begin; leaving; rescue LocalJumpError => error; p error.message, error.reason, error.exit_value; end
        p((catch(:out) { require "throws" }), (catch(:out) { load "throws.rb" }))
        x = 5
        p Object.class_eval("x + 1"), "abc".instance_eval("x + size")
        p require("a"), require("b"), load("b.rb"), require_relative("c")
        p TracePoint.stat.values.flatten.sum if (RUBY_VERSION.split('.').map(&:to_i) <=> [3, 2]) >= 0 && !File::ALT_SEPARATOR # (3.1, and Windows, have no other way to tell of threads)
        p GC.stress, Thread.list.size
        at_exit { puts "at exit" }
        exit 3
      RUBY
        "a.rb" => "p caller(0)\n",
        "b.rb" => "p caller(0), __FILE__, __dir__\n",
        "c.rb" => "p caller(0), binding.local_variables\n",
        "raises.rb" => "def deep = raise(ArgumentError, 'no')\ndeep\n",
        "throws.rb" => "throw :out, 7\n",
        "leaves.rb" => "$proc.call\n",
        "broken.rb" => "def (\n"
      }
    )
  end

  test "stdin, stdout and status are the command's" do
    assert_unnoticed({ "main.rb" => "print $stdin.read.upcase\nwarn 'to stderr'\nabort 'over'\n" }, stdin: "some words")
  end

  test "processes that the program starts are not profiled and see nothing" do
    profile =
      assert_unnoticed(
        {
          "main.rb" =>
            "require 'rbconfig'\nrequire 'a'\nputs IO.popen([RbConfig.ruby, '-e', 'p ENV[%q(RUBYOPT)], ENV[%q(LD_PRELOAD)], ENV.keys.grep(/PROFILE/), $LOADED_FEATURES.grep(/profiler/)'], &:read)\nrequire 'c'\n",
          "a.rb" => "A = 1\n",
          "c.rb" => "C = 1\n"
        }
      )
    assert_equal %w[a c], names(profile, "require") & %w[a c]
  end

  def needs_posix = Program::WINDOWS && skip("Windows has no fork, no signals, no limits of files")

  test "forked children are not profiled" do
    needs_posix
    profile = assert_unnoticed({ "main.rb" => <<~RUBY, "a.rb" => "A = 1\n", "b.rb" => "B = 1\n", "c.rb" => "C = 1\n" })
        require "a"
        pid = fork { require "b"; puts "child" }
        Process.wait(pid)
        p $?.exitstatus
        pid = fork { require "b"; $stdout.flush; exit!(4) }
        Process.wait(pid)
        p $?.exitstatus
        require "c"
      RUBY

    assert_equal %w[a c], names(profile, "require") & %w[a b c]
  end

  test "YAML and JSON files, Bundler's phases and Rails' initializers" do
    needs_psych
    files = {
      "main.rb" => <<~RUBY,
        require "yaml"
        YAML.load_file(File.join(__dir__, "settings.yml"))
        YAML.safe_load_file("words.yml")
        require "json"
        JSON.load_file("data.json") if JSON.respond_to?(:load_file)
        require "rails/initializable"
        Rails::Initializable::Initializer.new(:first_things).run
        require "lib/bundler"
        Bundler.setup
        begin; YAML.load_file("missing.yml"); rescue Errno::ENOENT; end
        [nil, 3, "a\\0b", Object.new, ""].each { |odd| begin; YAML.load_file(odd); rescue StandardError; p $!.class, $!.message[0, 30].sub(/0x\\h+/, ""), $!.backtrace.size; end }
        p Psych.method(:load_file).owner, Psych.method(:load_file).source_location.first.end_with?("psych.rb"), Psych.singleton_class.ancestors.first(2)
      RUBY
      "settings.yml" => "a: 1\n",
      "words.yml" => "- a\n",
      "data.json" => "{}\n",
      "inside.rb" => "INSIDE = 1\n",
      "rails/initializable.rb" => <<~RUBY,
        module Rails
          module Initializable
            class Initializer
              def initialize(name) = @name = name
              def run(*) = require("inside")
            end
          end
        end
      RUBY
      "lib/bundler.rb" => "module Bundler\n  def self.setup = sleep(0.01)\nend\n"
    }
    profile = assert_unnoticed(files)
    assert_includes names(profile, "yaml"), "settings.yml"
    assert_equal [program_path(profile, "settings.yml"), "#{program_path(profile, "main.rb")}:2"],
                 find(profile, "settings.yml").values_at("path", "from")
    assert_includes names(profile, "yaml"), "words.yml"
    assert_includes names(profile, "yaml"), "missing.yml"
    assert_includes names(profile, "json"), "data.json"
    assert_equal ["Bundler.setup"], names(profile, "bundler")
    assert_equal ["first_things"], names(profile, "initializer")
    assert_equal find(profile, "first_things")["id"], find(profile, "inside")["parent"]
  end

  def needs_psych
    require "psych"
  rescue LoadError
    skip "this Ruby has no psych"
  end

  def program_path(profile, name) = File.join(profile["program"]["directory"], name)

  test "threads are kept apart" do
    files = {
      "main.rb" => <<~RUBY,
        worker = Thread.new do
          Thread.current.name = "worker"
          require "a"
          start = #{CPU_TIME}
          nil until #{CPU_TIME} - start > 0.1
          require "b"
        end
        worker.join
        silent = Thread.new { 100_000.times.sum }
        silent.join
        require "c"
        fiber = Fiber.new { require "d"; Fiber.yield; require "e" }
        fiber.resume
        require "f"
        fiber.resume
        sleeper = Thread.new { sleep }
        Thread.pass until sleeper.stop?
        puts "over"
      RUBY
      **%w[a b c e f].to_h { |name| ["#{name}.rb", "X_#{name.upcase} = 1\n"] },
      "d.rb" => "Fiber.yield\n"
    }
    profile = assert_unnoticed(files)
    worker = profile["threads"].find { |thread| thread["name"] == "worker" }
    root = profile["nodes"][worker["root"]]
    assert_equal "thread", root["kind"]
    # Windows counts a thread's time in ticks of up to 16 ms
    assert_operator root["total"]["cpu_ns"], :>=, worked = File::ALT_SEPARATOR ? 60_000_000 : 100_000_000
    assert_equal [worker["id"]] * 2, %w[a b].map { |name| find(profile, name)["thread"] }
    assert_equal [0, 0], %w[c f].map { |name| find(profile, name)["thread"] }
    assert_equal 4, profile["threads"].size
    assert_operator profile["threads"].sum { |thread| profile["nodes"][thread["root"]]["total"].fetch("cpu_ns", 0) },
                    :>,
                    worked
  end

  test "a thread without a name is called by where it was begun" do
    _, profile = profile(program({ "main.rb" => "Thread.new { require 'a' }.join\n", "a.rb" => "A = 1\n" }))
    assert_equal "#{program_path(profile, "main.rb")}:1", profile["threads"].last["name"]
  end

  test "under GC.stress, with compaction, and with fibers left in the middle" do
    needs_psych
    assert_unnoticed(
      {
        "main.rb" => <<~RUBY,
        GC.auto_compact = true if GC.respond_to?(:auto_compact=)
        require "yaml"
        fibers = 20.times.map { |i| Fiber.new { require "left_\#{i}" }.tap(&:resume) }
        fibers = nil
        GC.start
        GC.stress = true
        require "a"
        Object.class_eval("def stressed = 1")
        Thread.new { require "c" }.join
        YAML.load_file(File.join(__dir__, "x.yml"))
        GC.stress = false
        require "d"
        p $LOADED_FEATURES.grep(/left/).size
      RUBY
        **20.times.to_h { |i| ["left_#{i}.rb", "Fiber.yield\n"] },
        "a.rb" => "require 'b'\n",
        "b.rb" => "B = 1\n",
        "c.rb" => "C = 1\n",
        "d.rb" => "D = 1\n",
        "x.yml" => "a: 1\n"
      }
    )
  end

  test "Ractors run unmeasured" do
    assert_unnoticed(
      {
        "main.rb" =>
          "Warning[:experimental] = false\nrequire 'a'\nr = Ractor.new { 10.times.map { |i| Thread.new(i) { |n| n + 1 }.value }.sum }\np r.respond_to?(:value) ? r.value : r.take\n",
        "a.rb" => "A = 1\n"
      }
    )
  end

  test "however a process ends, what is known is told" do
    ways = {
      "exit!(3)" => [3, nil],
      "exit(4)" => [4, nil],
      "abort" => [1, nil],
      "raise 'no'" => [1, nil],
      "Process.exec('no such command')" => [1, nil]
    }
    posix = {
      "Process.kill(:KILL, $$); sleep" => [137, "KILL"],
      "Process.kill(:TERM, $$); sleep" => [143, "TERM"],
      "Process.kill(:INT, $$); sleep" => [130, "INT"],
      "Process.daemon" => [0, nil],
      "exec('true')" => [0, nil],
      "fork { exit!(9) }; Process.wait; exit 5" => [5, nil]
    }
    # (There a process that is killed tells a status.)
    windows = {
      "Process.kill(:KILL, $$); sleep" => [0, nil],
      "Process.kill(:TERM, $$); sleep" => [3, nil],
      "exec('cmd', '/c', 'exit 6')" => [6, nil]
    }
    ways
      .merge(Program::WINDOWS ? windows : posix)
      .each do |ending, (status, signal)|
        program =
          program(
            { "main.rb" => "require 'a'\n#{ending}\n", "a.rb" => "require 'b'\n", "b.rb" => "B = 1\n" },
            witness: false
          )
        run, profile = profile(program)
        assert_equal "exit #{status}", run.status, ending
        assert profile, "#{ending}: #{run.stderr}"
        assert_equal [%w[a b], status], [names(profile, "require") & %w[a b], profile["program"]["status"]], ending
        assert_sums profile
        assert_equal [signal], [run.stderr[/killed by SIG(\w+)/, 1]], ending
      end
  end

  test "a program that is killed, or becomes another, is not complete; what is known then is told" do
    ending = Program::WINDOWS ? "exec('cmd', '/c', 'exit 6')" : "exec('true')"
    ["Process.kill(:KILL, $$); sleep", ending].each do |way|
      run, profile = profile(program({ "main.rb" => "require 'a'\n#{way}\n", "a.rb" => "A = 1\n" }, witness: false))
      assert_equal false, profile["program"]["complete"], way
      assert_equal way == ending, run.stderr.include?("became another program"), run.stderr
      assert_equal "loaded", find(profile, "a")["result"]
    end
  end

  test "a program that becomes another Ruby program is followed, with its environment as it was" do
    files = {
      "main.rb" => <<~RUBY,
        require "a"
        require "rbconfig"
        begin; exec("/no/such/ruby"); rescue Errno::ENOENT; p ENV.keys.grep(/PROFILE|PRELOAD|RUBYOPT/); end
        exec(RbConfig.ruby, "-I", __dir__, File.join(__dir__, "second.rb"))
      RUBY
      "second.rb" => "require 'b'\np ENV.keys.grep(/PROFILE|PRELOAD|RUBYOPT/), $0\n",
      "a.rb" => "A = 1\n",
      "b.rb" => "B = 1\n"
    }
    profile = assert_unnoticed(files)
    assert_equal %w[b], names(profile, "require") & %w[a b]
    assert_equal true, profile["program"]["complete"]
  end

  test "files for people to look at are named when they are written" do
    program = program({ "main.rb" => "puts 1\n" }, witness: false)
    env = { "PATH" => ENV["PATH"], "HOME" => program.home }
    files = %w[html firefox speedscope json].to_h { |name| [name, program.path("out.#{name}")] }
    run =
      program.execute(
        [*PREFIX, *files.flat_map { |name, path| ["--#{name}", path] }, "--", RbConfig.ruby, program.path("main.rb")],
        env: env
      )
    assert_equal files.except("json").values.map { |path| "warmstart: wrote #{path}\n" }.sort, run.stderr.lines.sort
    files.each_value { |path| assert_operator File.size(path), :>, 100 }
  end

  test "what cannot be profiled is said in one line" do
    program = program({ "main.rb" => "puts 1\n" }, witness: false)
    env = { "PATH" => ENV["PATH"], "HOME" => program.home }
    {
      %w[--] => [2, /no command given/],
      %w[-- no_such_command] => [127, /unknown command no_such_command/],
      ["--", program.folder] => [126, /cannot run/],
      %w[--json /no/such/folder/x -- true] => [2, %r{cannot write /no/such/folder/x}],
      %w[--nonsense] => [2, /invalid option/],
      **(
        if Program::WINDOWS
          { %w[-- cmd /c rem] => [1, /cmd recorded nothing/] }
        else
          { %w[-- true] => [1, /true recorded nothing/], %w[-- false] => [1, /false recorded nothing/] }
        end
      )
    }.each do |arguments, (status, message)|
      run = program.execute([*PREFIX, *arguments], env: env)
      assert_equal "exit #{status}", run.status, arguments.inspect
      assert_match message, run.stderr
      assert_equal 1, run.stderr.lines.grep_v(/\A\s+from /).size, run.stderr
      assert_empty run.stdout
    end
  end

  # Without a recording: the program's own output, one line, and a status that tells.
  def assert_only_output(program, problem, prefix: [], **env)
    command = [*prefix, *PREFIX, "--json", "-", "--", RbConfig.ruby, "-I", program.folder, program.path("main.rb")]
    run = program.execute(command, env: { "PATH" => ENV["PATH"], "HOME" => "/root", **env })
    assert_equal ["fine\n", "exit 1"], [run.stdout, run.status]
    assert_match(
      %r{\Awarmstart: cannot write the recording: #{problem} - /.*/nodes\.1; TMPDIR names another folder\n\z},
      run.stderr
    )
  end

  SMALL = { "main.rb" => "require 'a'\nputs A\n", "a.rb" => "A = 'fine'\n" }.freeze

  test "on a full disk the program runs as usual" do
    program = program(SMALL, witness: false)
    on_small_disk(program.home) { assert_only_output(program, "No space left on device", "TMPDIR" => program.home) }
  end

  test "a disk so full that not even the problem could be written down" do
    needs_posix
    program = program(SMALL, witness: false)
    script = ': > "$WARMSTART_PROFILE/problem.1"; echo "1 1" > "$WARMSTART_PROFILE/claim"'
    run = program.execute([*PREFIX, "--", "sh", "-c", script], env: { "PATH" => ENV["PATH"], "HOME" => "/root" })
    assert_equal ["exit 1", "warmstart: cannot write the recording (is the disk full?); TMPDIR names another folder\n"],
                 [run.status, run.stderr]
  end

  test "on a disk with room for the recording alone there is a profile, without what only the end of the program could tell" do
    program =
      program(
        SMALL.merge(
          "main.rb" => "500.times { |i| $LOAD_PATH << \"/no/such/folder/at/all/\#{i}\" }\n#{SMALL["main.rb"]}"
        ),
        witness: false
      )
    on_small_disk(program.home, kilobytes: 4096 + 8) do
      command = [*PREFIX, "--json", "-", "--", RbConfig.ruby, "-I", program.folder, program.path("main.rb")]
      run = program.execute(command, env: { "PATH" => ENV["PATH"], "HOME" => "/root", "TMPDIR" => program.home })
      assert_equal ["", "exit 0"], [run.stderr, run.status]
      profile = JSON.parse(run.stdout.delete_prefix("fine\n"))
      assert_includes profile["nodes"].map { |node| node["name"] }, "a"
      assert_empty profile["load_path"]
    end
  end

  test "where files may not become so large the program runs as usual" do
    needs_posix
    assert_only_output(
      program(SMALL, witness: false),
      "File too large",
      prefix: ["sh", "-c", 'ulimit -f 100; exec "$@"', "sh"]
    )
  end

  test "Ctrl-C is the command's" do
    needs_posix
    program =
      program(
        {
          "main.rb" =>
            "$stdout.sync = true\ntrap(:INT) { puts 'interrupted'; exit 7 }\nProcess.kill(:INT, -Process.getpgrp)\nsleep 5\n"
        },
        witness: false
      )
    run, profile = profile(program)
    assert_equal ["interrupted\n", "exit 7"], [run.stdout, run.status]
    assert_equal 7, profile["program"]["status"]
  end

  test "a block of a running program" do
    program =
      program(
        { "main.rb" => <<~RUBY, "a.rb" => "require 'c'\n", "b.rb" => "B = 1\n", "c.rb" => "C = 1\n" },
        require #{File.join(Program::REPOSITORY, "lib/warmstart/profiler").dump}
        require "json"
        before = %i[require require_relative load].map { |name| Kernel.instance_method(name) }.map { |m| [m.owner, m.arity, m.source_location] }
        profile = Warmstart::Profiler.profile { require "a" }
        after = %i[require require_relative load].map { |name| Kernel.instance_method(name) }.map { |m| [m.owner, m.arity, m.source_location] }
        begin
          Warmstart::Profiler.profile { raise IOError, "inside" }
        rescue IOError
          again = Warmstart::Profiler.profile { require "b" }
        end
        puts JSON.generate([before == after, profile.to_h, again.to_h])
      RUBY
        witness: false
      )
    run = program.plain
    assert_equal "exit 0", run.status, run.stderr
    same, first, second = JSON.parse(run.stdout)
    assert same
    assert_equal [%w[a c], %w[b]], [first, second].map { |profile| names(profile, "require") }
    [first, second].each { |profile| assert_sums profile }
  end

  test "with Warmstart the tree is the same, and Warmstart does what it does without us" do
    files = { "main.rb" => <<~RUBY, "a.rb" => "require 'c'\np caller(0)\n", "b.rb" => "B = 1\n", "c.rb" => "C = 1\n" }
        before = defined?(Warmstart) ? Warmstart::Native.ways : {}
        require "a"
        require_relative "b"
        require "a"
        p Warmstart::Native.ways.map { |way, count| [way, count - before.fetch(way, 0)] }.reject { |_, count| count.zero? }.sort_by(&:inspect) if defined?(Warmstart)
      RUBY

    program = program(files)
    program.boot
    2.times do
      plain = program.boot
      run, profile = profile_boot(program)
      assert plain.transcript == run.transcript, -> { line_diff(plain.transcript, run.transcript) }
      assert_equal %w[a.rb b.rb c.rb], run.hits
      assert_equal "warm", profile["program"]["accelerator"]
      assert_equal [["require", "a", 1], ["require", "c", 2], ["require_relative", "b", 1]],
                   outline(profile, program.folder) - [["require", "main", 1]]
      assert_sums profile
    end
  end

  test "files that Warmstart could not serve are named, with the reason" do
    program = program({ "main.rb" => "require 'a'\n", "a.rb" => "A = 1\n" }, witness: false)
    program.age
    file = File.join(program.base, "profile.json")
    options = ["--json", file, "--", RbConfig.ruby, "-I", program.folder, "-r", Program::SETUP, program.path("main.rb")]
    run =
      program.execute(
        [*PREFIX, *options],
        env: {
          "PATH" => ENV["PATH"],
          "HOME" => program.home,
          "WARMSTART_CACHE_DIR" => program.cache
        }
      )
    assert_equal "exit 0", run.status, run.stderr
    profile = JSON.parse(File.read(file))
    assert_equal "recording", profile["program"]["accelerator"]
    assert_includes profile["files_outside_image"], { "path" => program.path("a.rb"), "reason" => "not_recorded" }
    assert_equal 1, profile["nodes"].find { |node| node["path"] == program.path("a.rb") }["self"]["iseqs"]
  end

  def profile_boot(program)
    file = File.join(program.base, "profile.json")
    run = program.boot(prefix: [*PREFIX, "--json", file, "--"])
    [run, JSON.parse(File.read(file))]
  end
end
