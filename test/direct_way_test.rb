# frozen_string_literal: true

require_relative "test_helper"

# Which way a require goes, and why: each condition of ext/warmstart/ruby/require/way.c. That the outcome is plain
# Ruby's is what test/differential is for; here it is that the ways are the ones that were meant.
class DirectWayTest < TestCase
  # On Windows Ruby leaves the load path's Strings unfrozen until it changes (ruby.c, process_options, puts Strings in
  # the encoding of the locale in their place after it has expanded them), so that no index can follow it. RubyGems
  # changes it in each program.
  with_rubygems if Gem.win_platform?

  # The main script's name is in the locale's encoding, and so is its __dir__; as a feature it would be "not_a_name".
  HERE = "__dir__.encode(Encoding.find('filesystem'))"

  REPORT = <<~'RUBY'
    at_exit { File.write("ways", Warmstart::Native.ways.map { |(way, reason), n| "#{way},#{reason},#{n}\n" }.join) }
  RUBY

  # The ways of the warm boot of a program: {direct: 2, [:path, :alias] => 1, ...}
  def ways(files = nil, env: {}, **more)
    files ||= more
    program = program(files.merge("main.rb" => REPORT + files.fetch("main.rb")), witness: false)
    program.age
    run = nil
    3.times { run = program.boot(env: env) }
    assert_equal "exit 0", run.status, run.stderr
    File
      .readlines(program.path("ways"), chomp: true)
      .to_h do |line|
        way, reason, count = line.split(",")
        [reason.empty? ? way.to_sym : [way.to_sym, reason.to_sym], count.to_i]
      end
  end

  A = { "a.rb" => "A = 1\n", "b.rb" => "B = 1\n" }.freeze

  test "a file from the image goes directly: required by name, by path, relatively" do
    files =
      A.merge("c.rb" => "C = 1\n", "main.rb" => "require 'a'; require File.join(#{HERE}, 'b'); require_relative 'c'\n")
    assert_equal 3, ways(files).fetch(:direct)
  end

  test "a name that ends as a library's, but without its dot, goes directly, too" do
    assert_equal({ direct: 2 }, ways_of(%w[espresso foo]))
  end

  test "a name with another ending than Ruby's own is searched for by Ruby" do
    assert_equal({ %i[search other_ending] => 2 }, ways_of(%w[x.dll a.so.b]))
  end

  def ways_of(names)
    files = names.to_h { |name| ["#{name}.rb", "#{name.tr(".", "_").upcase} = 1\n"] }
    ways(files.merge("main.rb" => names.map { |name| "require_relative #{name.dump}\n" }.join))
  end

  test "WARMSTART_DIRECT=0 leaves it to Ruby" do
    found = ways(A.merge("main.rb" => "require 'a'\n"), env: { "WARMSTART_DIRECT" => "0" })
    assert_equal 1, found.fetch(%i[path off])
    refute found.key?(:direct)
  end

  test "a file that is provided is not loaded again" do
    found = ways(A.merge("main.rb" => "require 'a'; require 'a'; require File.join(#{HERE}, 'a.rb')\n"))
    assert_equal 1, found.fetch(:direct)
    assert_equal 1, found.fetch(%i[search provided])
    assert_equal 1, found.fetch(:provided)
  end

  test "a circular require is seen in our own table" do
    found = ways("a.rb" => "require 'b'\n", "b.rb" => "require 'a'\n", "main.rb" => "require 'a'\n")
    assert_equal 2, found.fetch(:direct)
    assert_equal 1, found.fetch(%i[circular loading])
  end

  test "Coverage, SCRIPT_LINES__ and compile options want Ruby's compiler" do
    {
      "coverage" => "require 'coverage'; Coverage.start",
      "script_lines" => "SCRIPT_LINES__ = {}",
      "compile_option" => "RubyVM::InstructionSequence.compile_option = { peephole_optimization: false }"
    }.each do |reason, code|
      found = ways(A.merge("main.rb" => "#{code} if File.exist?('ways')\nrequire 'a'\n"))
      assert_equal 1, found.fetch([:path, reason.to_sym]), reason
    end
  end

  test "a TracePoint that wants to see scripts compiled" do
    found = ways(A.merge("main.rb" => "TracePoint.new(:script_compiled) { }.enable\nrequire 'a'\n"))
    assert_equal 1, found.fetch(%i[path tracepoint])
    found = ways(A.merge("main.rb" => "TracePoint.new(:script_compiled) { }.enable { }\nrequire 'a'\n"))
    assert_equal 1, found.fetch(:direct)
  end

  test "inside load(file, true)" do
    found =
      ways(A.merge("w.rb" => "require 'a'\n", "main.rb" => "load File.join(__dir__, 'w.rb'), true\nrequire 'b'\n"))
    assert_equal 1, found.fetch(%i[path wrapped])
    assert_equal 1, found.fetch(:direct)
  end

  test "a file under two names" do
    found =
      ways("real/a.rb" => "A = 1\n", "link" => :real, "main.rb" => "require 'link/a'; exit 1 if require 'real/a'\n")
    assert_equal 1, found.fetch(%i[path alias])
    refute found.key?(:direct)
  end

  test "an alias of what the direct way has loaded" do
    found =
      ways(
        "real/a.rb" => "$count = $count.to_i + 1\n",
        "link" => :real,
        "main.rb" => "require 'real/a'; require 'link/a'; exit 1 unless $count == 1\n"
      )
    assert_equal 1, found.fetch(:direct)
  end

  test "frozen features" do
    found =
      ways(
        A.merge(
          "main.rb" => "$LOADED_FEATURES.freeze if File.exist?('ways')\nbegin; require 'a'; rescue RuntimeError; end\n"
        )
      )
    assert_equal 1, found.fetch(%i[path frozen_features])
  end

  test "autoload's targets: by Ruby, whoever asks for them, and what they require directly" do
    x = { "x.rb" => "require 'y'\nclass X; end\n", "y.rb" => "Y = 1\n" }
    [
      "autoload :X, 'x'\nX\n",
      "autoload :X, File.join(#{HERE}, 'x')\nX\n",
      "class Z; autoload :X, 'x'; def go = X; end\nZ.new.go\n",
      "autoload :X, 'x'\nrequire 'x'\n",
      "autoload :X, 'x.rb'\nObject.const_get(:X)\n"
    ].each do |code|
      found = ways(x.merge("main.rb" => code))
      assert_equal [1, 1], [found[%i[path autoload]], found[:direct]], code
    end
  end

  test "a file that registers an autoload of itself" do
    found = ways("x.rb" => "module M; autoload :X, 'x'; class X; end; end\n", "main.rb" => "require 'x'; M::X\n")
    assert_equal 1, found.fetch(%i[path autoload_inside])
  end

  test "a file that has changed is compiled by Ruby" do
    program =
      program(A.merge("main.rb" => "require 'a'\nwarn Warmstart::Native.ways if defined?(Warmstart)\n"), witness: false)
    2.times { program.boot }
    assert_includes program.boot.stderr, "[:direct, nil]"
    program.write("a.rb", "A = 22\n")
    assert_match(/\[:path, :(size|mtime)\]/, program.boot.stderr)
  end

  test "a damaged payload is compiled by Ruby, in silence, and recorded anew" do
    program =
      program(
        { "a.rb" => "A = 'the very first string of a file'\n", "main.rb" => "require 'a'\nputs A\n" },
        witness: false
      )
    2.times { program.boot }
    damaged =
      program.segments.count do |path|
        bytes = File.binread(path)
        at = bytes.index("the very first string") or next
        bytes.setbyte(at, bytes.getbyte(at) ^ 1)
        File.binwrite(path, bytes)
      end
    assert_operator damaged, :>, 0
    run = program.boot
    assert_equal ["the very first string of a file\n", ""], [run.stdout, run.stderr]
    assert_match(/^warmstart: hit .*a\.rb$/, program.boot(env: { "WARMSTART_LOG" => "1" }).stderr)
  end

  test "what one thread loads others wait for, and a failure lets the next try" do
    found =
      ways(
        "a.rb" => "sleep 0.2; A = 1\n",
        "main.rb" => "exit 1 unless 4.times.map { Thread.new { require 'a' } }.map(&:value).count(true) == 1\n"
      )
    assert_equal 1, found.fetch(:direct)
    assert_equal 3, found.fetch(%i[wait loading])
  end

  test "a fiber that is dropped in the middle of a file leaves nothing behind that could be used" do
    found = ways("a.rb" => "Fiber.yield if ENV['YIELD']\nA = 1\n", "main.rb" => <<~RUBY)
      require_relative "a" unless File.exist?("ways")
      exit if defined?(A)
      ENV["YIELD"] = "1"
      50.times { Fiber.new { require "a" if false; load File.join(__dir__, "a.rb") }.resume; GC.start }
      Fiber.new { require "a" }.resume
      GC.start
    RUBY
    refute_nil found
  end
end
