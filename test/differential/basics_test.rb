# frozen_string_literal: true

require_relative "../test_helper"

# What a required file sees of itself and of its surroundings.
class BasicsTest < TestCase
  with_rubygems

  test "a file sees its path, its folder, its frames and its receiver" do
    assert_same_behaviour(
      {
        "a.rb" => <<~RUBY,
        p __FILE__, __dir__, __method__, self, local_variables, binding.receiver, Module.nesting
        p caller(0)
        p caller_locations(0).map { |l| [l.path, l.absolute_path, l.label, l.base_label, l.lineno] }
        require_relative "sub/b"
      RUBY
        "sub/b.rb" => "p __FILE__, __dir__, caller(0)\n",
        "main.rb" => "p require('a'), require('a'), require('a.rb'), Witness.features\n"
      }
    )
  end

  test "return ends a file" do
    assert_same_behaviour({ "a.rb" => "puts :before\nreturn if true\nputs :after\n", "main.rb" => "p require('a')\n" })
  end

  test "methods defined at the top are private methods of Object" do
    assert_same_behaviour({ "a.rb" => "def helper = 1\nTOP = self\n", "main.rb" => <<~RUBY })
        require "a"
        p Object.private_method_defined?(:helper), Object.public_method_defined?(:helper), TOP.equal?(self)
        begin; 1.helper; rescue NoMethodError => error; puts error.message; end
      RUBY
  end

  test "a method knows where it was defined" do
    assert_same_behaviour({ "a.rb" => "class A\n  def m = raise('x')\n  L = ->(x) { x }\nend\n", "main.rb" => <<~RUBY })
        require "a"
        p A.instance_method(:m).source_location, A::L.source_location, A::L.parameters, Object.const_source_location(:A)
        p RubyVM::InstructionSequence.of(A.instance_method(:m)).absolute_path
        begin; A.new.m; rescue => error; p error.backtrace, error.backtrace_locations.map(&:label); end
      RUBY
  end

  test "a program freezes the modules that have methods of ours, and all others" do
    %w[GC Process RubyVM::InstructionSequence Kernel].each do |name|
      assert_same_behaviour({ "a.rb" => "A = 1\n", "b.rb" => "B = 1\n", "main.rb" => <<~RUBY })
          require "a"
          #{name}.freeze
          require "b"
          p GC.enable, GC.disable, A, B
        RUBY
    end
    assert_same_behaviour({ "a.rb" => "A = 1\n", "main.rb" => <<~RUBY }, ends: "exit 3")
        require "a"
        ObjectSpace.each_object(Module) { |each| each.freeze unless [Object, Witness, Warning].include?(each) }
        exit 3
      RUBY
  end

  # (A boot that has something to write waits for its writer, and other threads run meanwhile: docs/semantics.md, 4.)
  test "no thread goes on at the end of a warm boot" do
    program = program({ "a.rb" => "A = 1\n", "main.rb" => <<~RUBY }, witness: false)
      $stdout.sync = true
      require "a"
      thread = Thread.new { Thread.stop; puts :woken }
      sleep 0.01 until thread.stop?
      thread.wakeup
    RUBY

    2.times { program.boot }
    10.times { assert_equal ["", "exit 0"], program.boot.then { |run| [run.stdout, run.status] } }
  end

  test "a file that unlocks every mutex, and waits for each" do
    assert_same_behaviour({ "a.rb" => <<~RUBY, "main.rb" => "p require('a'), Witness.features\n" })
        ObjectSpace.each_object(Thread::Mutex) { |mutex| mutex.unlock if mutex.owned? }
        ObjectSpace.each_object(Thread::Mutex) { |mutex| mutex.synchronize {} }
      RUBY
  end

  test "a program's own constants and files of the names that frameworks have" do
    assert_same_behaviour({ "parallel.rb" => "Parallel = 4\n", "minitest.rb" => <<~RUBY, "main.rb" => <<~MAIN })
        module Minitest
          def self.singleton_class = raise
          def self.autoload?(*) = raise
          def self.const_defined?(*) = raise
        end
      RUBY
        TracePoint.new(:raise) { |trace| p trace.raised_exception }.enable
        require "parallel"
        require "minitest"
        p Parallel, Minitest
      MAIN
  end
end
