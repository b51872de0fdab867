# frozen_string_literal: true

require_relative "../test_helper"

# How a file can be left, by how it was entered; what is seen then, and what the next attempt does.
class LeavingFormsTest < TestCase
  EXITS = {
    "raise" => "raise 'left'",
    "raise a class of one's own" => "class Own < Exception; end; raise Own, 'left'",
    "throw" => "throw :out, 1",
    "throw to nobody" => "throw :nobody",
    "exit" => "exit 4",
    "abort" => "abort",
    "Interrupt" => "raise Interrupt",
    "return" => "return",
    "break of an outer proc" => "$break.call",
    "next of an outer proc" => "$next.call",
    "return of an outer proc" => "$return.call",
    "NameError" => "Nowhere",
    "LoadError" => "require 'nowhere'",
    "a frozen error" => "raise RuntimeError.new('x').freeze",
    "an error with a cause" => "begin; 1 / 0; rescue; raise 'second'; end",
    "an error in ensure" => "begin; raise 'first'; ensure; raise 'second'; end",
    "StopIteration" => "[].each.next",
    "a deep stack" => "def deep = deep(); deep",
    "Thread.exit" => "Thread.exit unless Thread.current == Thread.main",
    "a SyntaxError" => "eval('1 +')",
    "a killed thread" => "Thread.current.kill unless Thread.current == Thread.main",
    "Fiber" => "Fiber.new { raise 'in a fiber' }.resume"
  }.freeze

  ENTRIES = {
    "require" => "require 'x'",
    "require_relative" => "require_relative 'x'",
    "load" => "load 'x.rb'",
    "autoload" => "Object.autoload(:X, 'x'); X",
    "thread" => "Thread.new { Thread.current.report_on_exception = false; require 'x' }.value",
    "fiber" => "Fiber.new { require 'x' }.resume",
    "nested" => "require 'outer'",
    "rescue" => "begin; raise 'before'; rescue; require 'x'; end",
    "ensure" => "begin; 1; ensure; require 'x'; end",
    "at_exit" => "at_exit { require 'x' }"
  }.freeze

  EXITS.each do |title, code|
    test "#{title} out of a file" do
      plain =
        assert_same_behaviour(
          {
            "x.rb" => "p [$!, Witness.features]\n$n = $n.to_i + 1\n#{code} if $n == 1\nclass X; end\n",
            "outer.rb" => "begin; p require('x'); ensure; p $!.class; end\n",
            "main.rb" => <<~RUBY
          def attempt(title)
            p title, catch(:out) { yield }
          rescue Exception => error
            p error.class, error.message.lines.first, error.backtrace&.last(6), error.cause.class, (error.reason if error.is_a?(LocalJumpError))
          ensure
            p $!, Witness.features
          end
          def broken(entry) = [1].each { $break = proc { break 5 }; attempt(entry) { eval(entry, binding, __FILE__) } }
          def returned(entry) = ($return = proc { return 6 }; attempt(entry) { eval(entry, binding, __FILE__) })
          $next = proc { next 7 }
          #{ENTRIES.values.inspect}.each do |entry|
            p broken(entry); $n = nil
            p returned(entry), $n
            attempt(entry) { eval(entry, binding, __FILE__) }
            Object.send(:remove_const, :X) if Object.const_defined?(:X, false) || Object.autoload?(:X)
            $LOADED_FEATURES.reject! { |path| path.end_with?("/x.rb", "/outer.rb") }
          end
        RUBY
          },
          args: %w[-w --disable-did_you_mean],
          misses: :any,
          ends: // # (the last way is an exit handler's)
        )
      assert_empty ENTRIES.values.reject { |entry| plain.stdout.include?("#{entry.inspect}\n") }, "a way was not gone"
    end
  end
end
