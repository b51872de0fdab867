# frozen_string_literal: true

require_relative "test_helper"

# What does not run on Windows, and what does not run under Wine alone (support/windows.rb): no entry may outlive the
# test that it names, and what Wine lacks is no reason on Windows itself.
class WindowsListsTest < TestCase
  FILES = Dir["test/**/*_test.{c,rb}", base: Program::REPOSITORY].sort
  LISTS = [WindowsTests::LEFT_OUT, WindowsTests::LEFT_OUT_UNDER_WINE].freeze
  TESTS = [WindowsTests::TESTS_LEFT_OUT, WindowsTests::TESTS_LEFT_OUT_UNDER_WINE].freeze

  # Every sentence of these files' tests, as they would be asked for on Windows.
  SENTENCES = <<~'RUBY'
    require File.join(ARGV.shift, "test/test_helper")
    class << WindowsTests
      undef_method :test_reason
      def test_reason(path, sentence) = puts("#{path}\t#{sentence}")
    end
    ARGV.each { |path| require path }
    $stdout.flush
    exit!(true) # (before Minitest runs them)
  RUBY

  test "each pattern of files means a file, and no file stands in two lists" do
    left_out =
      LISTS.flat_map do |list|
        list.keys.map do |pattern|
          FILES.select { |name| File.fnmatch?(pattern, name) }.tap { |names| refute_empty names, pattern }
        end
      end
    assert_equal left_out.flatten.uniq, left_out.flatten
  end

  test "each sentence or pattern means a test of a file that runs" do
    names = TESTS.flat_map(&:keys).uniq
    assert_empty names - FILES
    TESTS.each { |list| assert_equal list.keys.sort, list.keys }
    assert_empty names.select { |name| WindowsTests.reason(name, wine: false) }
    assert_empty TESTS.last.keys.select { |name| WindowsTests.reason(name, wine: true) }
    paths = names.map { |name| File.join(Program::REPOSITORY, name) }
    output, error, status = Open3.capture3(RbConfig.ruby, "-e", SENTENCES, Program::REPOSITORY, *paths)
    assert_predicate status, :success?, error
    sentences = output.lines(chomp: true).map { |line| line.split("\t", 2) }.group_by(&:first)
    TESTS.each do |list|
      list.each do |name, reasons|
        there = sentences.fetch(File.join(Program::REPOSITORY, name)).map(&:last)
        assert_empty reasons.keys.reject { |key| there.any? { |sentence| key === sentence } }, name
      end
    end
  end

  test "what Wine and its Ruby lack is no reason on Windows itself" do
    reasons = [WindowsTests::LEFT_OUT, *WindowsTests::TESTS_LEFT_OUT.values].flat_map(&:values)
    assert_empty reasons.grep(/wine/i)
    assert_nil WindowsTests.reason("test/documents_test.rb", wine: false)
    assert_match(/psych/, WindowsTests.reason("test/documents_test.rb", wine: true))
    assert_match(/POSIX/, WindowsTests.reason("test/core/file_test.c", wine: true))
  end
end
