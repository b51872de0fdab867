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

  # Where nothing can be kept, where nothing is yet, and where others' folders are not as they were noted.
  PLACES = {
    "no cache yet" => {
    },
    "a cache that cannot be" => {
      "XDG_CACHE_HOME" => "/proc/none"
    },
    "a home that cannot be" => {
      "XDG_CACHE_HOME" => nil,
      "HOME" => "/proc/none"
    },
    "no home" => {
      "XDG_CACHE_HOME" => nil,
      "HOME" => nil
    },
    "a cache below a file" => {
      "XDG_CACHE_HOME" => "%s/main.rb"
    },
    "a folder below a file" => {
      "WARMSTART_CACHE_DIR" => "%s/main.rb"
    },
    "a folder that cannot be" => {
      "WARMSTART_CACHE_DIR" => "/proc/none"
    },
    "an image below a file" => {
      "WARMSTART_IMAGE_DIR" => "%s/main.rb/image"
    },
    "only reading" => {
      "WARMSTART_READONLY" => "1"
    },
    "gems nowhere" => {
      "BUNDLE_PATH" => "/proc/none",
      "BUNDLE_APP_CONFIG" => "/proc/none"
    }
  }.freeze
  # What another application has left in the user's cache.
  OTHERS = {
    "nothing" => ->(_) {},
    "a folder without an image" => ->(other) { FileUtils.mkdir(other) },
    "the name of a folder that has gone" => ->(other) { File.write("#{other}.path", "/nowhere/image") },
    "a link that leads nowhere" => ->(other) { File.symlink("/nowhere", "#{other}.path") },
    "a name that cannot be one" => ->(other) { File.write("#{other}.path", "/" + "n" * 3000) }
  }.freeze

  def assert_no_more_in(application, env, what)
    { "setup" => [], "bundler" => %w[-r bundler/setup] }.each do |entry, options|
      FileUtils.rm_rf([application.path("tmp"), application.path("Gemfile.lock")])
      plain = exceptions(application.plain(args: ["-d", *options], env: env))
      2.times do |boot|
        FileUtils.rm_f(application.path("Gemfile.lock"))
        ours = ["-r", File.join(File.dirname(Program::SETUP), entry)]
        found = exceptions(application.plain(args: ["-d", *ours], env: env))
        assert_empty found.reject { |line, count| plain.fetch(line, 0) >= count }, "#{entry}, #{what}, boot #{boot}"
      end
    end
  end

  test "under -d: caches, homes and others' images of all kinds" do
    files = { "Gemfile" => "", "a.rb" => "A = 1\n", "main.rb" => "require_relative 'a'\np A\n" }
    application = program(files, witness: false)
    cache = File.join(application.base, "cache home")
    usual = { "XDG_CACHE_HOME" => cache, "BUNDLE_GEMFILE" => application.path("Gemfile"), "WARMSTART_CACHE_DIR" => nil }
    PLACES.each do |place, variables|
      env = usual.merge(variables.transform_values { |value| value&.sub("%s", application.folder) })
      assert_no_more_in(application, env, place)
    end
    OTHERS.each do |other, make|
      FileUtils.rm_rf(cache)
      FileUtils.mkdir_p(File.join(cache, "warmstart"))
      make.call(File.join(cache, "warmstart", "#{File.basename(application.folder)}-0123456789abcdef"))
      assert_no_more_in(application, usual, other)
    end
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
