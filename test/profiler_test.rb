# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/command"

# The collecting half of the profiler: what a profile holds, and that the program does not notice.
class ProfilerTest < TestCase
  PREFIX = [RbConfig.ruby, Command::WARMSTART, "profile"].freeze

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
    assert plain.transcript == run.transcript, -> { "differs from plain Ruby\n#{line_diff(plain.transcript, run.transcript)}" }
    assert_sums profile
    profile
  end

  # What every profile must satisfy.
  def assert_sums(profile)
    nodes = profile.fetch("nodes")
    nodes.each_with_index { |node, index| assert_equal index, node.fetch("id") }
    nodes.each { |node| assert_operator node["parent"], :<, node["id"] if node["parent"] }
    profile.fetch("threads").each do |thread|
      own = nodes.select { |node| node.fetch("thread") == thread.fetch("id") }
      total = nodes.fetch(thread.fetch("root")).fetch("total")
      total.each { |metric, value| assert_equal value, own.sum { |node| node.fetch("self").fetch(metric, 0) }, "#{thread["name"]}: #{metric}" }
    end
    nodes.each { |node| assert_operator node["end_ns"], :>=, node["start_ns"] }
  end

  def nodes(profile, kind) = profile.fetch("nodes").select { |node| node["kind"] == kind }
  def names(profile, kind) = nodes(profile, kind).map { |node| node["name"] }
  def find(profile, name) = profile.fetch("nodes").find { |node| node["name"] == name } || flunk("no node #{name}")

  # The program's own nodes: [kind, name, depth below the program].
  def outline(profile, folder)
    depths = {}
    profile.fetch("nodes").filter_map do |node|
      depths[node["id"]] = node["parent"] ? depths[node["parent"]] + 1 : 0
      [node["kind"], node["name"], depths[node["id"]]] if node["path"]&.start_with?(folder)
    end
  end

  test "a tree of what is required, loaded and autoloaded" do
    files = {
      "main.rb" => "require 'a'\nrequire_relative 'sub/b'\nload 'l.rb'\nrequire 'a'\nautoload :Auto, 'auto'\nAuto\nbegin; require 'nowhere'; rescue LoadError; end\n",
      "a.rb" => "require 'deep/c'\n", "deep/c.rb" => "C = 1\n", "sub/b.rb" => "require 'a'\n", "l.rb" => "L = 1\n", "auto.rb" => "class Auto; end\n"
    }
    program = program(files)
    run, profile = profile(program)
    assert_equal "exit 0", run.status, run.stderr
    assert_equal [["require", "a", 1], ["require", "deep/c", 2], ["require_relative", "sub/b", 1], ["load", "l.rb", 1], ["autoload", "auto", 1]], outline(profile, program.folder)
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
      "objects.rb" => "KEPT = Array.new(200_000) { Object.new }\n", "sleeper.rb" => "sleep 0.2\n", "collector.rb" => "5.times { GC.start }\n",
      "evals.rb" => "50.times { |i| Object.class_eval(\"def m\#{i}; end\") }\nClass.new.new.instance_eval('1')\nString.class_eval { 1 }\n",
      "cpu.rb" => "start = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)\nnil until Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) - start > 0.1\n"
    }
    _, profile = profile(program(files))
    assert_operator find(profile, "objects")["self"]["objects"], :>=, 200_000
    assert_operator find(profile, "objects")["self"]["memory_bytes"], :>, 4_000_000
    assert_operator find(profile, "objects")["self"]["bytes"], :>=, 8_000_000
    sleeper = find(profile, "sleeper")["self"]
    assert_operator sleeper["wall_ns"], :>=, 200_000_000
    assert_operator sleeper["cpu_ns"], :<, 100_000_000
    assert_operator find(profile, "collector")["self"]["gc_count"], :>=, 5
    assert_operator find(profile, "collector")["self"]["gc_ns"], :>, 0
    assert_equal 51, find(profile, "evals")["self"]["evals"]
    assert_operator find(profile, "evals")["self"]["eval_compile_ns"], :>, 0
    assert_operator find(profile, "cpu")["self"]["cpu_ns"], :>=, 100_000_000
  end

  test "the program does not notice" do
    assert_unnoticed({
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
        p((catch(:out) { require "throws" }), (catch(:out) { load "throws.rb" }))
        x = 5
        p Object.class_eval("x + 1"), "abc".instance_eval("x + size")
        p require("a"), require("b"), load("b.rb"), require_relative("c")
        p TracePoint.stat.values.flatten.sum
        p GC.stress, Thread.list.size
        at_exit { puts "at exit" }
        exit 3
      RUBY
      "a.rb" => "p caller(0)\n", "b.rb" => "p caller(0), __FILE__, __dir__\n", "c.rb" => "p caller(0), binding.local_variables\n",
      "raises.rb" => "def deep = raise(ArgumentError, 'no')\ndeep\n", "throws.rb" => "throw :out, 7\n", "broken.rb" => "def (\n"
    })
  end

  test "stdin, stdout and status are the command's" do
    assert_unnoticed({ "main.rb" => "print $stdin.read.upcase\nwarn 'to stderr'\nabort 'over'\n" }, stdin: "some words")
  end

  test "processes that the program starts are not profiled and see nothing" do
    profile = assert_unnoticed({
      "main.rb" => <<~RUBY,
        require "a"
        puts `\#{RbConfig.ruby} -e 'p ENV["RUBYOPT"], ENV["LD_PRELOAD"], ENV.keys.grep(/PROFILE/), $LOADED_FEATURES.grep(/profiler/)'`
        $stdout.flush
        pid = fork { require "b"; puts "child" }
        Process.wait(pid)
        p $?.exitstatus
        pid = fork { require "b"; $stdout.flush; exit!(4) }
        Process.wait(pid)
        p $?.exitstatus
        require "c"
      RUBY
      "a.rb" => "A = 1\n", "b.rb" => "B = 1\n", "c.rb" => "C = 1\n"
    })
    assert_equal %w[a c], names(profile, "require") & %w[a b c]
  end
end
