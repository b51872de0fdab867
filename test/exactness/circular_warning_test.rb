# frozen_string_literal: true

require_relative "../test_helper"

# What Ruby says under -w of a file that asks for itself, whatever frames lie between. (On 3.4 caller_locations tells other
# frames than the warning has, so only Ruby itself can write it.)
class CircularWarningTest < TestCase
  AROUND = {
    "tap" => "1.tap { %s }",
    "then" => "1.then { %s }",
    "loop" => "loop { %s; break }",
    "times" => "1.times { %s }",
    "each" => "[1].each { %s }",
    "map" => "[1].map { %s }",
    "a class" => "class Around; %s; end",
    "a singleton" => "class << self; %s; end",
    "a method" => "def around = (%s)\naround",
    "a method of a class" => "class Around; def self.around = [1].each { %s }; end\nAround.around",
    "define_method" => "define_singleton_method(:around) { %s }\naround",
    "eval" => "eval('%s')",
    "instance_eval" => "1.instance_eval { %s }",
    "instance_eval of text" => "1.instance_eval('%s', 'text', 7)",
    "a proc" => "proc { %s }.call",
    "send" => "Kernel.send(:then) { %s }",
    "a rescue" => "begin; raise 'x'; rescue; %s; end",
    "an ensure" => "begin; ensure; %s; end",
    "method_missing" => "def method_missing(name) = name == :unknown ? (%s) : super\nunknown",
    "const_missing" => "def Object.const_missing(name) = (%s)\nUnknown",
    "at_exit" => "at_exit { %s }",
    "an enumerator" => "Enumerator.new { |y| %s; y << 1 }.next",
    "a fiber" => "Fiber.new { %s }.resume",
    "an own require" => "module Own; def require(name) = super; end\nsingleton_class.prepend(Own)\n%s",
    "a refinement" => "module R; refine(Integer) { def go = (%s) }; end\nusing R\n1.go"
  }.freeze
  AROUND.each do |where, way|
    test "where a circle is closed is told as Ruby tells it: #{where}" do
      assert_same_behaviour(
        { "a.rb" => "require 'b'\n", "b.rb" => way.gsub("%s") { "require \"a\"" }, "main.rb" => "require 'a'\n" },
        args: %w[-w],
        misses: :any
      )
    end
  end
end
