# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/command"

# A Ruby may lack what one part of Warmstart needs, or a program may have removed it: that part is off, the others go on, and
# `warmstart status` names it.
class LackingPartsTest < TestCase
  include Command

  # Up to Ruby 3.1, and on Windows, Ruby's own flags tell who watches.
  FLAGS = Program::RUBY_NUMBER < "3.2" || !File::ALT_SEPARATOR.nil?

  ISEQ = "RubyVM::InstructionSequence"

  # What is removed => the parts that go.
  REMOVED = {
    "TracePoint.singleton_class.remove_method(:stat)" => FLAGS ? [] : %w[direct documents],
    "Object.send(:remove_const, :TOPLEVEL_BINDING)" => %w[direct],
    "#{ISEQ}.singleton_class.remove_method(:compile)" => %w[direct],
    "#{ISEQ}.singleton_class.remove_method(:load_from_binary)" => %w[code],
    "#{ISEQ}.remove_method(:to_binary)" => %w[recording],
    "Object.send(:remove_const, :Warning)" => %w[code recording],
  }.freeze

  # (Ruby itself needs TOPLEVEL_BINDING to begin with the program.)
  MAIN = <<~RUBY
    load File.join(__dir__, "removed.rb")
    require #{Program::SETUP.dump} if ENV["WITH_WARMSTART"]
    $LOAD_PATH.unshift(File.join(__dir__, "lib"))
    require "a"
    p A, $LOADED_FEATURES.grep(/a\\.rb\\z/).size
  RUBY

  def status(program, *arguments)
    code = "load #{program.path("removed.rb").dump}; load #{WARMSTART.dump}"
    program.ruby("-e", code, "status", *arguments).tap { |run| assert_equal "", run.stderr }.stdout
  end

  REMOVED.each do |removal, parts|
    test "without what `#{removal}` takes away" do
      program = program({ "Gemfile" => "", "lib/a.rb" => "A = [1]\n", "main.rb" => MAIN, "removed.rb" => "" }, witness: false)
      env = { "WITH_WARMSTART" => "1", "WARMSTART_STATS" => "1" }
      program.plain(env: env)
      program.write("removed.rb", "#{removal}\n")
      expected = program.plain
      runs = Array.new(2) { program.plain(env: env) }
      runs.each { |run| assert_equal [expected.stdout, "exit 0"], [run.stdout, run.status], run.stderr }
      assert_equal [], runs.last.stderr.lines.reject { |line| line.match?(/\Awarmstart: [\w. ()]+: \d+\n\z/) }
      assert_equal !parts.include?("code"), runs.last.stderr.include?("warmstart: hit: 1\n"), runs.last.stderr

      assert_equal parts, JSON.parse(status(program, "--json")).fetch("off").keys
      parts.each { |part| assert_match(/^off +.*#{part} \(this Ruby has no \S+\)/, status(program)) }
    end
  end
end
