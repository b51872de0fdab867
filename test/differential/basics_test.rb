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
end
