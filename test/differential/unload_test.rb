# frozen_string_literal: true

require_relative "../test_helper"

# Warmstart.unload!: from then on, plain Ruby. The same program runs with Warmstart and without; with it, it asks for
# Warmstart itself, so that it has seen Ruby's own methods before.
class UnloadTest < TestCase
  PATCHED = <<~RUBY
    PATCHED = [[Module, :autoload], [Kernel, :autoload], [Kernel.singleton_class, :autoload], [Kernel, :require], [Kernel.singleton_class, :require],
               [Kernel, :exec], [Kernel.singleton_class, :exec], [Process.singleton_class, :exec],
               [RubyVM::InstructionSequence.singleton_class, :compile_option=], [Warning.singleton_class, :warn]]
    def methods_now = PATCHED.map { |owner, name| owner.instance_method(name) }
    def look
      PATCHED.map do |owner, name|
        method = owner.instance_method(name)
        [owner.inspect, method.owner.inspect, method.name, method.original_name, method.arity, method.parameters, method.source_location,
         owner.private_method_defined?(name), owner.public_method_defined?(name), method.inspect]
      end
    end
  RUBY

  # The body runs after Warmstart came and went; `compiled` tells whether a file was compiled meanwhile.
  def assert_gone(body, files = {}, **options)
    files = { "a.rb" => "A = 1\n", "b.rb" => "B = 1\n", **files }
    files["main.rb"] = <<~RUBY
      #{PATCHED}
      BEFORE = methods_now
      if ENV["WARMSTART_UNLOAD"]
        require #{Program::SETUP.dump}
        require "a"
        Warmstart.unload!
      else
        require "a"
      end
      #{body}
    RUBY
    program = program(files, **options)
    plain = program.plain
    2.times { assert_same_run plain, program.plain(env: { "WARMSTART_UNLOAD" => "1" }) }
    refute_empty program.segments
    plain
  end

  test "methods are Ruby's own, also by equality" do
    plain = assert_gone(<<~RUBY)
      puts look.map(&:inspect)
      p BEFORE.zip(methods_now).map { |before, now| [before == now, before.eql?(now), before.hash == now.hash] }
      p [Module, Kernel, Kernel.singleton_class].map { |owner| [owner.instance_methods(false).sort, owner.private_instance_methods(false).sort] }
      p RubyVM::InstructionSequence.singleton_methods(false).sort, Warning.singleton_methods.sort
    RUBY
    refute_match(/\bfalse\b/, plain.stdout.lines.grep(/\A\[\[true/).join)
  end

  test "aliases, decorators and prepended modules that came meanwhile stay" do
    assert_gone(<<~RUBY, { "a.rb" => <<~A })
      p autoload?(:C), Object.autoload(:C, "b"), autoload(:D, "b"), Kernel.autoload(:E, "b")
      begin; Object.autoload(:X, nil); rescue TypeError => error; puts error.message, error.backtrace; end
      begin; Object.autoload_early(:X, nil); rescue TypeError => error; puts error.message; end
      p Module.instance_method(:autoload).owner, Module.instance_method(:autoload_early).owner
      require "b"
    RUBY
      class Module; alias_method :autoload_early, :autoload; end
      module Loud; def autoload(name, file) = (p [name, file]; super); end
      Object.singleton_class.prepend(Loud)
    A
  end

  test "a method defined over ours stays" do
    assert_gone(
      <<~RUBY,
      Object.autoload(:X, "x")
      exec("false")
      p Module.instance_method(:autoload).source_location, Kernel.instance_method(:exec).source_location
    RUBY
      {
        "b.rb" =>
          "class Module; def autoload(name, file) = puts(name); end\nmodule Kernel; def exec(*) = puts(:exec); end\n",
        "a.rb" => "require 'b'\n"
      }
    )
  end

  test "global variables" do
    assert_gone(<<~'RUBY')
      alias $loaded $"
      p $".equal?($LOADED_FEATURES), $loaded.equal?($"), defined?($"), defined?($LOADED_FEATURES), global_variables.sort
      begin; $" = []; rescue NameError => error; puts error.message, error.backtrace; end
      begin; $LOADED_FEATURES = []; rescue NameError => error; puts error.message, error.backtrace; end
      $" << "#{__dir__}/b.rb"
      p require("b"), Witness.features, $LOADED_FEATURES.frozen?, $".class
      seen = []
      TracePoint.new(:c_call) { |tp| seen << tp.method_id }.enable { $".size; $LOADED_FEATURES.size }
      p seen
    RUBY
  end

  test "requires, errors, warnings and backtraces" do
    assert_gone(
      <<~RUBY,
      autoload :C, "c"
      p require("noisy"), require("c"), Witness.features
      begin; require "bad"; rescue SyntaxError => error; puts error.message, error.backtrace; end
      begin; require "nope"; rescue LoadError => error; puts error.message, error.path, error.backtrace; end
      begin; exec "/nope"; rescue SystemCallError => error; puts error.message, error.backtrace; end
    RUBY
      { "noisy.rb" => "def f\n  unused = 1\nend\n", "bad.rb" => "def x(\n", "c.rb" => "puts caller(0)\n" },
      args: %w[-w]
    )
  end

  test "setup after unload!" do
    program = program({ "a.rb" => "A = 1\n", "b.rb" => "B = 1\n", "main.rb" => <<~RUBY }, witness: false)
        require #{Program::SETUP.dump}
        require "a"
        Warmstart.unload!
        p Warmstart.setup, Warmstart.session.nil?, require("b")
      RUBY

    2.times do
      assert_equal ["true\nfalse\ntrue\n", "", "exit 0"],
                   program.plain.then { |run| [run.stdout, run.stderr, run.status] }
    end
    run = program.plain(env: { "WARMSTART_LOG" => "1" })
    assert_equal %w[a.rb b.rb], run.stderr.scan(%r{^warmstart: hit .*/([ab]\.rb)}).flatten
  end

  test "another image after unload!" do
    count = 3000
    files = count.times.to_h { |i| ["f#{i}.rb", "F#{i} = 1\n"] }
    program =
      program(files.merge("a.rb" => "A = 1\n", "main.rb" => <<~RUBY), witness: false, env: { "MALLOC_CHECK_" => "3" })
      require "a"
      exit if ENV["SMALL"]
      if ENV["LARGE"]
        Warmstart.unload!
        ENV["WARMSTART_IMAGE_DIR"] = ENV["LARGE"]
        load #{Program::SETUP.dump}
      end
      # (On Windows a main script's __dir__ is in the locale's encoding, and such a name is left to Ruby's search.)
      #{count}.times { |i| require File.join(__dir__.encode("UTF-8"), "f\#{i}") }
      p Warmstart::Native.ways.fetch([:direct, nil])
      GC.start
    RUBY
    2.times { program.boot }
    large = "#{program.base}/large"
    FileUtils.mv(program.image_folder, large)
    2.times { program.boot(env: { "SMALL" => "1" }) }
    run = program.boot(env: { "LARGE" => large })
    assert_equal "exit 0", run.status, run.stderr
    # (On Windows a name is searched for in a load path whose strings are not frozen, so a.rb may not count.)
    assert_includes [("#{count}\n" if File::ALT_SEPARATOR), "#{count + 1}\n"], run.stdout
  end

  test "another name of a file that was loaded before unload!" do
    program = program({ "real/a.rb" => "puts :loaded\n", "link" => :real, "main.rb" => <<~RUBY }, witness: false)
      require "real/a"
      Warmstart.unload! if defined?(Warmstart)
      p require("link/a"), $LOADED_FEATURES.grep(/application/).size
    RUBY

    2.times { program.boot }
    plain = program.plain
    assert_match(/\Aloaded\n/, plain.stdout, plain.stderr)
    assert_equal plain.stdout, program.boot.stdout
  end
end
