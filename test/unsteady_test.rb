# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/unsteady"

# bin/test itself: a test that fails beside others and passes alone is named, and more than a few are failures.
class UnsteadyTest < TestCase
  # Each test fails the first time, and never again.
  TESTS = <<~RUBY
    require "minitest/autorun"
    class Sometimes < Minitest::Test
      COUNT.times do |number|
        define_method("test_\#{number}") do
          flag = File.join(__dir__, number.to_s)
          again = File.exist?(flag)
          File.write(flag, "")
          assert again
        end
      end
    end
  RUBY

  def run_tests(count)
    folder = temporary_folder
    path = File.join(folder, "sometimes_test.rb")
    File.write(path, TESTS.sub("COUNT", count.to_s))
    output, status = Open3.capture2e(RbConfig.ruby, File.join(Program::REPOSITORY, "bin/test"), path)
    [output, status.exitstatus, output.lines.last.chomp]
  end

  test "a few are forgiven and named, more are failures" do
    skip "the tests under Wine have no bin/test of their own" if ENV["WARMSTART_WINE"]

    few = Unsteady::TOLERATED
    output, *ending = run_tests(few)
    assert_equal [0, "#{few} passed, 0 failed, 0 skipped"], ending, output
    assert_match(/^#{few} unsteady$/, output)
    output, *ending = run_tests(few + 1)
    assert_equal [1, "0 passed, #{few + 1} failed, 0 skipped"], ending, output
  end
end
