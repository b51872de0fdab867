# frozen_string_literal: true

require_relative "test_helper"

# bin/test itself: a test that fails beside others and passes alone is named, and is no failure, however many there are;
# one that fails alone, too, is one; and so is a file that does not say what it has run.
class UnsteadyTest < TestCase
  # Each test fails the first times, and then never again.
  TESTS = <<~RUBY
    require "minitest/autorun"
    class Sometimes < Minitest::Test
      COUNT.times do |number|
        define_method("test_\#{number}") do
          flag = File.join(__dir__, number.to_s)
          File.write(flag, "x", mode: "a")
          assert File.size(flag) > FAILURES, "that often"
        end
      end
    end
  RUBY

  def run_tests(tests)
    skip "the tests under Wine have no bin/test of their own" if ENV["WARMSTART_WINE"]

    path = File.join(temporary_folder, "sometimes_test.rb")
    File.write(path, tests)
    output, status =
      Open3.capture2e(
        { "WARMSTART_UNSTEADY" => "#{path}.txt" },
        RbConfig.ruby,
        File.join(Program::REPOSITORY, "bin/test"),
        path
      )
    [output, status.exitstatus, output.lines.last.chomp]
  end

  def failing(count, times) = run_tests(TESTS.sub("COUNT", count.to_s).sub("FAILURES", times.to_s))

  test "what passes alone, the first or the second time, is named and forgiven, however many there are" do
    { 1 => 5, 2 => 2 }.each do |times, count|
      output, *ending = failing(count, times)
      assert_equal [0, "#{count} passed, 0 failed, 0 skipped"], ending, output
      assert_match(/^#{count} unsteady$/, output)
      assert_match(/^that often$/, output[%r{== unsteady.*}m])
    end
  end

  test "what fails alone, too, is a failure" do
    output, *ending = failing(2, 3)
    assert_equal [1, "0 passed, 2 failed, 0 skipped"], ending, output
  end

  test "a file that ends before its report, or has no test, is a failure" do
    ["exit!(0)\n", "require 'minitest/autorun'\n"].each do |tests|
      output, *ending = run_tests(tests)
      assert_equal [1, "0 passed, 1 failed, 0 skipped"], ending, output
    end
  end
end
