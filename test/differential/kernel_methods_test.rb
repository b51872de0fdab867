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
