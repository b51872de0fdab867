# frozen_string_literal: true

require_relative "test_helper"

# Under `ruby -d` Ruby prints every exception that is raised, rescued or not. A boot raises none that plain Ruby does
# not: Warmstart asks first. (There may be fewer: what answers in the place of Psych or Bundler does not raise what they
# rescue themselves.)
class DebugTest < TestCase
  SCRIPTS = {
    "a file" => {
      "a.rb" => "A = 1\n",
      "main.rb" => "require_relative 'a'\np A\n"
    },
    "features that do not exist" => {
      "main.rb" => "%w[nobody no/body].each { |name| begin; require name; rescue LoadError; p name; end }\n"
    },
    "YAML" => {
      "a.yml" => "a: [1, 2020-01-01, b]\n",
      "main.rb" => "require 'yaml'\nrequire 'date'\np YAML.load_file('a.yml', permitted_classes: [Date])\n"
    },
    "hooks as Rails and rake have them" => {
      "lib/active_support/lazy_load_hooks.rb" =>
        "module ActiveSupport\n  def self.on_load(name, &block) = Class.new { def self.rake_tasks = nil }.class_eval(&block)\nend\n",
      "lib/puma/server.rb" => "module Puma\n  class Server\n    def run = 1\n  end\nend\n",
      "lib/webrick.rb" => "module WEBrick\n  class GenericServer\n    define_method(:start) { 2 }\n  end\nend\n",
      "main.rb" =>
        "require 'active_support/lazy_load_hooks'\nrequire 'puma/server'\nrequire 'webrick'\nrequire 'forwardable'\np Puma::Server.new.run, WEBrick::GenericServer.new.start\n"
    },
    "a program's own exceptions" => {
      "a.rb" => "raise 'x'\n",
      "b.rb" => "1 +\n",
      "main.rb" =>
        "%w[a b].each { |name| begin; require_relative name; rescue StandardError, SyntaxError => e; p e.class; end }\n"
    }
  }.freeze

  # {line => how often}
  def exceptions(run)
    assert_equal "exit 0", run.status, run.stderr
    run.stderr.lines(chomp: true).grep(/\AException /).tally
  end

  def assert_no_more(program)
    program.plain # (Bundler writes a lockfile)
    plain = exceptions(program.plain)
    3.times do |i|
      assert_empty exceptions(program.boot).reject { |line, count| plain.fetch(line, 0) >= count }, "boot #{i}"
    end
  end

  def assert_none_of_ours(files, *arguments)
    assert_no_more(program(files, load_path: %w[lib], witness: false, args: ["-d", *arguments]))
  end

  SCRIPTS.each do |name, files|
    test "under -d: #{name}" do
      assert_none_of_ours(files)
      assert_none_of_ours(files, "--disable-gems")
    end
  end

  # Bundler from a record raises what Bundler itself does, or less.
  test "under -d: Bundler, from its first boot to the one that replays" do
    assert_no_more(
      program(
        { "Gemfile" => "", "main.rb" => "require 'bundler/setup'\np Bundler.definition.specs.size.positive?\n" },
        witness: false,
        args: ["-d"]
      )
    )
  end

  test "a TracePoint sees no exception of ours" do
    watch = "TracePoint.new(:raise) { |trace| warn trace.inspect, trace.raised_exception.inspect }.enable\n"
    program =
      program(
        { "a.rb" => "A = 1\n", "watch.rb" => watch, "main.rb" => "require_relative 'a'\nrequire 'json'\n" },
        witness: false
      )
    3.times do
      run = program.plain(args: ["--disable-gems", "-r", program.path("watch.rb"), "-r", Program::SETUP])
      assert_equal "", run.stderr
    end
  end
end
