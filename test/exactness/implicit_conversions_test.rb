# frozen_string_literal: true

require_relative "../test_helper"

# Array#join, Array#flatten, Array(), splats, comparisons and the like ask an object for to_str, to_ary, to_hash ... which
# comes to method_missing and respond_to_missing? of a program that defines them for all objects. So what Warmstart does
# beside the program must convert nothing implicitly. (docs/semantics.md tells what Ruby asks two of its own for, when it
# reads a file, which an image spares.)
class ImplicitConversionsTest < TestCase
  # (A child has another stream, since it runs beside its parent.)
  ASKED = <<~RUBY
    $asked = STDOUT
    class Object
      private
      def method_missing(name, *) = ($asked.syswrite("missing \#{name} \#{self.class}\\n"); false)
      def respond_to_missing?(name, all) = [RubyVM::InstructionSequence, Encoding::UTF_8].include?(self) ? super : ($asked.syswrite("respond \#{name} \#{self.class}\\n"); false)
    end
  RUBY
  FILES = {
    "lib/a.rb" => "autoload :B, 'b'\nA = B\n",
    "lib/b.rb" => "B = 1\nrequire 'c'\nrequire_relative 'd'\n",
    "lib/c.rb" => "C = __dir__\n",
    "lib/d.rb" => "begin; require 'nothing'; rescue LoadError; end\n",
    "lib/e.rb" => "load 'f.rb'\n",
    "lib/f.rb" => "F = 1\n"
  }.freeze
  ENDS = {
    "the end" => "",
    "exit" => "exit 3",
    "exec" => "exec(#{RbConfig.ruby.dump}, '--disable-gems', '-e', '')",
    "a fork" => "Process.wait(fork { $asked = STDERR; require 'e' })",
    "an error" => "raise 'x'",
    "a signal" => "Process.kill(:TERM, $$); sleep"
  }.freeze

  STATUSES = { "exit" => "exit 3", "an error" => "exit 1", "a signal" => Program::TERMINATED }.freeze

  ENDS.each do |name, code|
    test "no object is asked to convert itself: #{name}" do
      assert_same_behaviour(
        { **FILES, "main.rb" => "require 'a'\n#{ASKED}require 'e'\n$LOAD_PATH << __dir__\nrequire 'lib/c'\n#{code}\n" },
        load_path: %w[lib],
        misses: :any,
        ends: STATUSES.fetch(name, "exit 0")
      )
      assert_same_behaviour(
        { **FILES, "main.rb" => "#{ASKED}require 'a'\nrequire 'e'\n#{code}\n" },
        load_path: %w[lib],
        misses: :any,
        ends: STATUSES.fetch(name, "exit 0")
      )
    end
  end
end
