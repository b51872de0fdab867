# frozen_string_literal: true

require_relative "../test_helper"
require_relative "../../examples/applications"

# Bootsnap set up beside us, before and after: one of the two answers Ruby's loader, the other steps back with at most
# one line, and the program does what it does under bootsnap alone. The gem is the examples' (examples/setup).
class BootsnapTest < TestCase
  with_rubygems

  GEMS = File.join(Program::REPOSITORY, "examples/tmp/gems/ruby", RbConfig::CONFIG["ruby_version"])

  # Sets the example up where that has not been done; another test may be at it (examples/setup has a lock).
  def self.libraries
    @libraries ||=
      begin
        unless Examples["rails_app"].set_up?
          Open3.capture2e(RbConfig.ruby, File.join(Examples::FOLDER, "setup"), "rails_app")
        end
        Dir[File.join(GEMS, "gems/{bootsnap,msgpack}-*/lib"), File.join(GEMS, "extensions/*/*/{bootsnap,msgpack}-*")]
      end
  end

  def setup
    super
    missing "bootsnap is not installed: examples/setup rails_app" if self.class.libraries.size < 2
  end

  FILES = {
    "early.rb" => "p [:early, caller(0)]\n",
    "a.rb" => "p [:a, __dir__, caller.size, require('b')]\nautoload :D, 'd'\np D.name, D.m\n",
    "b.rb" => "p :b, require('a')\nmodule B; X = [1]; end\n",
    "d.rb" => "require 'deep/e'\nclass D; def self.m = caller(0, 2); end\n",
    "deep/e.rb" => "p :e, require_relative('f')\n",
    "deep/f.rb" => "F = 1\nraise 'once' if ($f = $f.to_i + 1) == 1\n",
    "real/g.rb" => "$g = $g.to_i + 1\n",
    "link" => :real,
    "broken.rb" => "def (\n"
  }.freeze

  BODY = <<~RUBY
    def try
      p yield
    rescue Exception => error
      p error.class, error.message.lines.first, error.backtrace, (error.path if error.is_a?(LoadError))
    end
    try { require "a" }
    2.times { try { require "a" } }
    try { require_relative "deep/e" }
    %w[real/g link/g real/g.rb].each { |name| try { [require(name), $g] } }
    try { require "nope" }
    try { require "broken" }
    try { load "b.rb" }
    try { Thread.new { require "deep/f" }.value }
    $LOADED_FEATURES.reject! { |path| path.end_with?("/b.rb") }
    try { require "b" }
    p Witness.features, defined?(Bootsnap)
  RUBY

  # The lines of main.rb: what is set up in which order. Warmstart is loaded where the environment says so.
  WARMSTART = "require #{Program::SETUP.dump} if ENV['WARMSTART_BESIDE']\n"
  EARLY = "require 'early'\n"

  def bootsnap(iseq: true)
    "$LOAD_PATH.push(*#{self.class.libraries.inspect})\nrequire 'bootsnap'\n" \
      "Bootsnap.setup(cache_dir: ENV['HOME'] + '/bootsnap', load_path_cache: true, compile_cache_iseq: #{iseq}, compile_cache_yaml: false)\n"
  end

  def assert_peace(main, complaints:)
    program = program(FILES.merge("main.rb" => main + BODY), args: %w[--disable-did_you_mean -w])
    2.times { program.plain }
    plain = program.plain
    assert_equal "exit 0", plain.status, plain.stderr
    3.times do |round|
      run = program.run_beside(round == 2 ? { "WARMSTART_DIRECT" => "0" } : {})
      assert_same_run plain, run.without_complaints
      assert_equal complaints, run.complaints.size, run.complaints.join("\n")
      run.complaints.each { |line| assert_match(/bootsnap.*its code cache is used/, line) }
    end
  end

  # A run in which the program itself asks for Warmstart.
  module Beside
    def run_beside(env) = plain(env: { "WARMSTART_BESIDE" => "1", **env })
  end

  # (bootsnap activates msgpack as a gem, which need not be installed beside Ruby's own)
  def program(files, **options) = super(files, env: { "GEM_PATH" => GEMS }, **options).extend(Beside)

  test "Warmstart first" do
    assert_peace WARMSTART + EARLY + bootsnap, complaints: 1
  end

  test "bootsnap first" do
    assert_peace bootsnap + EARLY + WARMSTART, complaints: 1
  end

  # (it takes the hook all the same)
  test "bootsnap without its code cache" do
    assert_peace WARMSTART + EARLY + bootsnap(iseq: false), complaints: 1
    assert_peace bootsnap(iseq: false) + EARLY + WARMSTART, complaints: 1
  end

  test "Warmstart first, bootsnap in the middle of a file that came directly" do
    files = FILES.merge("setup_bootsnap.rb" => "p caller(0)\n#{bootsnap}p require('setup_bootsnap')\n")
    program =
      program(
        files.merge("main.rb" => "#{WARMSTART}#{EARLY}p require('setup_bootsnap')\n#{BODY}"),
        args: %w[--disable-did_you_mean]
      )
    2.times { program.plain }
    plain = program.plain
    assert_equal "exit 0", plain.status, plain.stderr
    3.times do
      run = program.run_beside({})
      assert_same_run plain, run.without_complaints
      run.complaints.each { |line| assert_match(/bootsnap.*its code cache is used/, line) }
    end
  end
end
