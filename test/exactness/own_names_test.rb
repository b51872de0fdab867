# frozen_string_literal: true

require_relative "../test_helper"

# A program has files and constants of its own that are called as those of libraries at which Warmstart has something to
# do: Bundler's setup, RubyGems, Rails' load hooks, servers, runners of tests, Warmstart itself. It is not taken for them.
class OwnNamesTest < TestCase
  FEATURES = %w[
    bundler/setup
    bundler
    rubygems/specification
    active_support/lazy_load_hooks
    puma/launcher
    puma/server
    unicorn/http_server
    pitchfork/http_server
    phusion_passenger
    async/container/forked
    iodine
    rackup/server
    rack/server
    webrick
    webrick/server
    minitest
    rspec/core/runner
    rspec/core
    test/unit/ui/testrunnermediator
    rake/application
    warmstart
    warmstart/setup
    warmstart/native
    warmstart/cli
    config/environment
    spec_helper
    psych
    yaml
    tzinfo
  ].freeze
  CONSTANTS = <<~RUBY
    module Moments
      def run(*) = puts("run by \#{self}")
    end
    class Server
      def run = puts(:run)
      def start = puts(:start)
      def wrapped_app = puts(:wrapped_app)
    end
    module Puma; Launcher = Class.new; Server = ::Server; end
    module Rack; Server = ::Server; end
    module Iodine; end
    module WEBrick; GenericServer = ::Server; end
    module Minitest; extend Moments; end
    module ActiveSupport; def self.on_load(name) = puts("on_load \#{name}"); end
    module TZInfo; VERSION = "2.0.6"; end
    Puma::Server.new.run
    Rack::Server.new.wrapped_app
    WEBrick::GenericServer.new.start
    Minitest.run
    pid = fork { puts caller.size }
    Process.wait(pid)
  RUBY
  WAYS = {
    "require_relative" => "require_relative '../own/%s'",
    "an absolute path" => "require \"\#{File.dirname(__dir__)}/own/%s.rb\"",
    "the load path" => "require '%s'",
    "an autoload" => "autoload(:Own_%s, \"\#{File.dirname(__dir__)}/own/%s.rb\")",
    "a load" => "load \"\#{File.dirname(__dir__)}/own/%s.rb\""
  }.freeze
  MAIN =
    "p defined?(Bundler), ENV['RUBYOPT'].to_s.include?('bundler'), Process.method(:fork).owner, $LOADED_FEATURES.grep(/bundler|rubygems|active_support/).map { |path| File.basename(path) }.tally\n"

  # Each file tells that it has run, and what it is called by.
  def files =
    FEATURES.to_h do |feature|
      [
        "own/#{feature}.rb",
        "puts #{feature.dump}, __FILE__.end_with?('own/#{feature}.rb')\nOwn_#{feature.tr("/", "_")} = 1\n"
      ]
    end

  def line(way, feature)
    way.sub("Own_%s") { "Own_#{feature.tr("/", "_")}" }.gsub("%s") { feature } +
      (way.start_with?("autoload") ? "; Own_#{feature.tr("/", "_")}" : "")
  end

  [true, false].each do |rubygems|
    WAYS.each do |name, way|
      test "files of a program's own, #{"with RubyGems, " if rubygems}by #{name}" do
        # (With RubyGems these would be its own and Bundler's.)
        features = rubygems && name == "the load path" ? FEATURES - %w[rubygems/specification] : FEATURES
        lines = features.map { |feature| line(way, feature) }
        assert_same_behaviour(
          { **files, "Gemfile" => "", "bin/main.rb" => "#{lines.join("\n")}\n#{CONSTANTS}#{MAIN}" },
          main: "bin/main.rb",
          load_path: name == "the load path" ? %w[own] : [],
          rubygems: rubygems,
          misses: :any
        )
      end
    end

    test "constants of a program's own#{", with RubyGems" if rubygems}, before Warmstart and after it" do
      plain = [
        assert_same_behaviour({ "main.rb" => CONSTANTS + MAIN }, rubygems: rubygems, misses: :any),
        assert_same_behaviour(
          { "first.rb" => CONSTANTS, "main.rb" => CONSTANTS.sub(/module Puma;.*?\n/m, "") + MAIN },
          args: %w[-r ./first.rb],
          rubygems: rubygems,
          misses: :any
        )
      ]
      assert_equal [["exit 0", 1], ["exit 0", 2]],
                   plain.map { |run| [run.status, run.stdout.scan(/^run by Minitest$/).size] },
                   plain.map(&:stderr).join
    end
  end

  test "a standalone bundle, beside a program of the same application that has Bundler's record" do
    lockfile = "GEM\n  remote: https://gems.example/\n  specs:\n\nPLATFORMS\n  #{Gem::Platform.local}\n\nDEPENDENCIES\n"
    program =
      program(
        {
          "Gemfile" => "source 'https://gems.example'\n",
          "Gemfile.lock" => lockfile,
          "bundle/bundler/setup.rb" => "puts :standalone\n",
          "one.rb" => "require 'bundler/setup'\nputs :one\n",
          "main.rb" =>
            "p require_relative('bundle/bundler/setup'), defined?(Bundler), $LOADED_FEATURES.grep(/bundler.setup/).size\n"
        },
        rubygems: true,
        witness: false
      )
    plain = program.plain
    3.times do
      assert_equal "one\n", program.boot(script: [program.path("one.rb")]).stdout
      assert_same_run plain, program.boot
    end
    assert_includes program.boot(script: [program.path("one.rb")], env: { "WARMSTART_LOG" => "1" }).stderr,
                    "bundler: replayed"
    log = program.boot(env: { "WARMSTART_LOG" => "1" }).stderr
    refute_match(/bundler: /, log)
    # (by the load path, as its authors tell)
    plain = program.plain(args: ["-I", program.path("bundle")], script: ["-r", "bundler/setup", program.path("one.rb")])
    2.times do
      assert_same_run plain,
                      program.boot(
                        args: ["-I", program.path("bundle")],
                        script: ["-r", "bundler/setup", program.path("one.rb")]
                      )
    end
  end
end
