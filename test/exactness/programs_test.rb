# frozen_string_literal: true

require_relative "../test_helper"

# What generated programs have found (bin/exactness --programs), each as small as it gets.
class ProgramsTest < TestCase
  FILES = { "a.rb" => "A = 1\n", "b.rb" => "B = 2\n", "noisy.rb" => "def noisy = (unused = 1)\n" }.freeze

  {
    "Warning.warn that nobody has" => "class << Warning; undef_method :warn; end\np require('a')",
    "Warning.warn that nobody has when a file warns" =>
      "class << Warning; undef_method :warn; end\np((require('noisy') rescue $!.class), require('a'))",
    "Warning.warn that is private" => "class << Warning; private :warn; end\np require('noisy'), require('a')",
    "Warning that is frozen" => "Warning.freeze\np require('noisy'), require('a')",
    "to_path of an object on $LOAD_PATH, and an absolute path" =>
      "$LOAD_PATH.unshift(Class.new { def to_path = (puts 'to_path'; __dir__) }.new)\n2.times { p require(\"\#{__dir__}/a\"), require(\"\#{__dir__}/b.rb\"), require_relative('a') }",
    "to_path of an object that a file puts on $LOAD_PATH and then requires itself" =>
      "File.write('self.rb', \"$LOAD_PATH.unshift(Class.new { def to_path = (puts 'to_path'; __dir__) }.new)\\np require(__FILE__), require_relative('self')\\n\") unless File.exist?('self.rb')\np require(\"\#{__dir__}/self\"), require('self'), require('a')",
    "require and require_relative of the program's own, and a library that Warmstart does something for" =>
      "$VERBOSE = nil; module Kernel; %i[require require_relative].each { |name| original = instance_method(name); define_method(name) { |feature| p [name, feature]; original.bind_call(self, feature) } }; end\nrequire 'forwardable'\nKernel.singleton_class.prepend(Module.new { def require(name) = (p [:kernel, name]; super) })\nrequire 'a'",
    "module_function of what Kernel has" =>
      "module Kernel; module_function :autoload, :require, :require_relative, :load; end\np require('a')",
    "a YAML file, and a warning of blocks that nobody uses" =>
      "File.write('x.yml', 'a: 1')\nrequire 'yaml'\nWarning[:strict_unused_block] = true if Warning.respond_to?(:categories) && Warning.categories.include?(:strict_unused_block)\n2.times { p YAML.load_file('x.yml') }",
    "errors of autoload, with the places where they were raised" =>
      "[[1, 'a'], [:A, nil], [1, nil], [:A, 5], [:A, \"a\\0\"], [nil, '']].each { |name, feature| autoload(name, feature) rescue p $!.class, $!.message, $!.backtrace, $!.backtrace_locations.map(&:to_s) }",
    "errors of Module#autoload, with the places where they were raised" =>
      "[[1, 'a'], [:A, nil], [1, nil], [:A, 5], [:A, \"a\\0\"]].each { |name, feature| Module.new.autoload(name, feature) rescue p $!.class, $!.message, $!.backtrace, $!.backtrace_locations.map(&:to_s) }"
  }.each do |title, code|
    test title do
      assert_same_behaviour(FILES.merge("main.rb" => "#{code}\n"), args: %w[-w], misses: :any)
    end
  end

  test "bin/exactness takes a wrong argument for what it is: one line, status 2" do
    [%w[--bad], %w[--programs --bad], %w[--programs --count x], %w[folder]].each do |arguments|
      _, message, status = Open3.capture3(RbConfig.ruby, File.join(Program::REPOSITORY, "bin/exactness"), *arguments)
      assert_equal [2, 1], [status.exitstatus, message.lines.size], message
    end
  end
end
