# frozen_string_literal: true

require_relative "../test_helper"

# The methods themselves: callers, owners, decorators, refinements.
class KernelMethodsTest < TestCase
  with_rubygems

  test "every way to call require shows the same frames" do
    files = %w[a b c d e f g].to_h { |name| ["#{name}.rb", "p caller(0)\n"] }
    assert_same_behaviour(files.merge("main.rb" => <<~RUBY))
      p Kernel.require("a"), method(:require).call("b"), send(:require, "c"), __send__(:require, "c"), Kernel.method(:require).unbind.bind_call(Kernel, "d")
      p method(:require).unbind.bind_call(self, "e"), %w[f].each(&method(:require)), %w[g].map(&Kernel.method(:require)), Witness.features
    RUBY
  end

  test "methods named require of one's own, with super" do
    assert_same_behaviour(
      { "d.rb" => "p caller(0)\n", "e.rb" => "p caller(0)\n", "f.rb" => "p caller(0)\n", "main.rb" => <<~RUBY }
        class Own; def require(name) = (p [:own, name]; super); def go = require("d"); end
        Own.new.go
        module Refined; refine(Object) { def require(name) = (p [:refined, name]; super) }; end
        using Refined
        p require("e")
        module Kernel; alias_method :plain_require, :require; def require(name) = (p [:decorated, name]; plain_require(name)); private :require, :plain_require; end
        p Object.new.send(:require, "f"), Witness.features
      RUBY
    )
  end

  test "decorators that come later: prepend, alias chain, singleton" do
    assert_same_behaviour({ "a.rb" => "puts :a\n", "b.rb" => "puts :b\n", "main.rb" => <<~'RUBY' })
        module Loud; def require(name) = (puts "loud #{name}"; super); end
        Object.prepend(Loud)
        p require("a"), method(:require).owner, method(:require).super_method.owner
        class << Kernel; alias_method :quiet, :require; def require(name) = (puts "kernel #{name}"; quiet(name)); end
        p Kernel.require("b"), Witness.features
      RUBY
  end

  # Modules over all methods that Warmstart replaces for a while.
  PREPENDED = <<~'RUBY'
    over = lambda do |owner, *names|
      owner.prepend(Module.new { names.each { |name| define_method(name) { |*all, **more, &block| ($last = []) << name; super(*all, **more, &block) } } })
    end
    over.call(Kernel, :require, :load, :autoload, :exec)
    over.call(Kernel.singleton_class, :require, :autoload, :exec)
    over.call(Module, :autoload)
    over.call(GC.singleton_class, :enable, :disable, :stress=)
    over.call(Process.singleton_class, :_fork, :exec)
    over.call(File.singleton_class, :rename, :symlink, :link, :expand_path)
    over.call(IO.singleton_class, :open)
    over.call(Warning.singleton_class, :warn)
    over.call(RubyVM::InstructionSequence.singleton_class, :compile_option=)
  RUBY
  HIDDEN = "Kernel.prepend(Module.new { private def exec(*) = super; private def require(*) = super })\n"
  ASKED = <<~'RUBY'
    ask = lambda do |ended|
      p require("a"), Kernel.require("b"), require_relative("c"), Kernel.autoload(:Z, "z"), Object.autoload(:D, "d"), D, Module.new.autoload(:E, "e"), load("f.rb")
      p GC.disable, GC.enable, GC.stress = false
      [-> { exit! 3 }, -> { exec("exit 4") }].each { |code| p Process.wait2(fork(&code))[1].exitstatus } if Process.respond_to?(:fork)
      File.write("one", ""); File.rename("one", "two")
      [[:symlink, "three"], [:link, "four"]].each do |name, to|
        File.public_send(name, "two", to)
      rescue SystemCallError, NotImplementedError => error
        p error.class # (Windows, without the right)
      end
      p IO.open(1) { |io| io.autoclose = false; io.fileno }, File.unlink(*Dir["{two,three,four}"]), File.expand_path("x").size
      RubyVM::InstructionSequence.compile_option = {}
      warn "a warning"
      [Kernel, Kernel.singleton_class, Module, GC.singleton_class, Process.singleton_class, File.singleton_class, IO.singleton_class].each do |owner|
        %i[require require_relative load autoload exec gem_original_require enable disable stress= _fork rename symlink link open expand_path].each do |name|
          next unless owner.method_defined?(name) || owner.private_method_defined?(name)

          method = owner.instance_method(name)
          chain = [method]
          chain << method while (method = method.super_method)
          p [owner, name, owner.private_method_defined?(name), chain.map { |each| [each.owner.name, each.name, each.original_name, each.arity, (each.source_location&.last unless each.owner == GC.singleton_class && !ended)] }]
        end
        p owner.private_instance_methods(false).sort
      end
    end
    ask.call(false)
    Object.send(:remove_const, :D)
    $LOADED_FEATURES.reject! { |path| path.match?(%r{/[abcde]\.rb\z}) }
    Warmstart.unload! if defined?(Warmstart)
    ask.call(true)
  RUBY

  test "modules that were prepended before the setup, and meanwhile" do
    files = %w[a b c f].to_h { |name| ["#{name}.rb", "puts :#{name}\n"] }
    files.update("d.rb" => "D = 1\n", "e.rb" => "E = 1\n")
    %w[before meanwhile].product([PREPENDED, PREPENDED + HIDDEN], [[], ["--disable-gems"]]) do |time, over, options|
      main = time == "before" ? ASKED : "require_relative 'over'\n#{ASKED}"
      program = program({ **files, "over.rb" => over, "main.rb" => main }, witness: false)
      args = time == "before" ? [*options, "-r", program.path("over.rb")] : options
      plain = program.plain(args: args)
      assert_equal "exit 0", plain.status, plain.stderr
      3.times { assert_same_run plain, program.boot(args: args), "#{time} #{options}" }
    end
  end

  test "undefined, removed and private methods" do
    assert_same_behaviour({ "a.rb" => "puts :a\n", "main.rb" => <<~RUBY })
        begin; self.class.new.require("a"); rescue NoMethodError => error; puts error.message; end
        begin; 1.gem_original_require("a"); rescue NoMethodError => error; puts error.message; end
        class Bare < BasicObject; def go = require("a"); end
        begin; Bare.new.go; rescue NoMethodError => error; puts error.message[/undefined method .require./]; end
        class Undone; undef_method :require; def go = require("a"); end
        begin; Undone.new.go; rescue NoMethodError => error; puts error.message[/undefined method .require./]; end
        p Kernel.respond_to?(:require), Kernel.private_method_defined?(:require), Object.new.respond_to?(:require), Object.new.respond_to?(:require, true)
      RUBY
  end

  # (A boot that records listens to Warning.warn and Module#autoload: docs/semantics.md.)
  test "descriptions" do
    program = program({ "main.rb" => <<~'RUBY' })
        [Kernel.instance_method(:require), Kernel.method(:require), method(:require), method(:require_relative), method(:load), method(:autoload),
         Module.instance_method(:autoload), Kernel.method(:autoload), RubyVM::InstructionSequence.method(:compile_option=)].each do |method|
          p method.inspect.gsub(/\s*\(?<internal:.*>:\d+/, ""), method.arity, method.owner, method.name, method.original_name, method.parameters
        end
        p Module.instance_methods(false).grep(/autoload/).sort, Kernel.private_instance_methods(false).grep(/require|autoload|load/).sort
        p Warning.method(:warn).arity, Warning.method(:warn).owner, Warning.singleton_methods, RubyVM::InstructionSequence.singleton_methods(false).sort - [:load_iseq]
      RUBY

    plain = program.plain
    program.boot
    assert_same_run plain, program.boot
  end

  test "wrong arguments" do
    assert_same_behaviour({ "main.rb" => <<~RUBY })
        [[], ["a", "b"], [:a], [nil]].each do |arguments|
          begin; require(*arguments); rescue => error; p error.class, error.message, error.backtrace; end
          begin; Kernel.require(*arguments); rescue => error; p error.class, error.message, error.backtrace; end
        end
      RUBY
  end

  test "wrong compile options" do
    assert_same_behaviour({ "main.rb" => <<~RUBY })
        [[], [1, 2], [5]].each do |arguments|
          RubyVM::InstructionSequence.public_send(:compile_option=, *arguments)
        rescue StandardError => error
          p error.class, error.message, error.backtrace
        end
      RUBY
  end

  # (C calls that Ruby's loader itself makes to read a file, IO#set_encoding, are not made for a file from the image.)
  test "TracePoint sees the lines and calls that it sees in plain Ruby" do
    assert_same_behaviour({ "a.rb" => "A = 1\ndef traced = 1\n", "main.rb" => <<~RUBY })
        seen = []
        trace = TracePoint.new(:call, :c_call, :return, :c_return, :line, :class, :raise) do |tp|
          seen << [tp.event, tp.method_id, tp.path == __FILE__ ? tp.lineno : File.basename(tp.path)] if tp.path.start_with?(__dir__) && tp.method_id != :set_encoding
        end
        trace.enable { require "a" }
        p seen
      RUBY
  end
end
