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
    "a refinement" => "module R; refine(Integer) { def go = (%s) }; end\nusing R\n1.go"
  }.freeze
  # These change what the others would meet, or end the program.
  ALONE = {
    "at_exit" => "at_exit { %s }",
    "an enumerator" => "Enumerator.new { |y| %s; y << 1 }.next",
    "a fiber" => "Fiber.new { %s }.resume",
    "method_missing" => "def method_missing(name) = name == :unknown ? (%s) : super\nunknown",
    "const_missing" => "def Object.const_missing(name) = (%s)\nUnknown",
    "an own require" => "module Own; def require(name) = super; end\nsingleton_class.prepend(Own)\n%s"
  }.freeze

  # One program for all of these ways: a_0.rb and b_0.rb ask for each other in the first one, and so on.
  def assert_same_circles(ways, **options)
    files =
      ways.each_with_index.flat_map do |way, number|
        [
          ["a_#{number}.rb", "require 'b_#{number}'\n"],
          ["b_#{number}.rb", way.gsub("%s") { "require \"a_#{number}\"" }]
        ]
      end
    main = ways.each_index.map { |number| "require 'a_#{number}'\n" }.join
    assert_same_behaviour({ **files.to_h, "main.rb" => main }, args: %w[-w], misses: :any, **options)
  end

  test "where a circle is closed is told as Ruby tells it" do
    plain = assert_same_circles(AROUND.values)
    told = plain.stderr.scan(%r{circular require considered harmful - .*/a_(\d+)\.rb$}).flatten.map(&:to_i)
    assert_equal AROUND.values.each_index.to_a, told
  end

  ALONE.each do |where, way|
    test "where a circle is closed is told as Ruby tells it: #{where}" do
      # (A fiber of its own cannot wait for its thread's file.)
      assert_same_circles [way], ends: where.match?(/fiber|enumerator/) ? "exit 1" : "exit 0"
    end
  end
end
