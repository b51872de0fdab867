# frozen_string_literal: true

require_relative "test_helper"

# What Warmstart prints: one line at the most, whatever paths and variables hold, and all of it with WARMSTART_LOG=1.
class WordsTest < TestCase
  FILES = { "a.rb" => "A = 'the very first string of a file'\n", "main.rb" => "require 'a'\nputs A\n" }.freeze
  HOSTILE = [
    "a\nwarmstart: b\nc",
    "\e[31mred\e]0;title\a",
    "\r\x7f\u0085",
    "\u2028\u202etxt",
    "\xff\xc3".b,
    "\t %s%n %d"
  ].freeze

  # Printable, and no line but the last is ended.
  def assert_one_line(text)
    assert_equal 1, text.b.count("\n"), text.dump
    assert text.end_with?("\n") && text.valid_encoding?, text.dump
    assert_match(/\Awarmstart: [^[:cntrl:]\u2028-\u202e]+\n\z/, text)
  end

  HOSTILE.each do |name|
    test "one line about a path with #{name.dump}" do
      folder = File.join(Dir.mktmpdir("warmstart-words-"), name.b)
      program = program(FILES, witness: false)
      env = { "WARMSTART_IMAGE_DIR" => folder }
      # (Windows has no folder of such a name. Nothing is said of a place that nobody can ever write to.)
      if Program::WINDOWS && name.b.match?(/[\x00-\x1f]/n)
        next assert_equal([program.plain.stdout, ""], program.boot(env: env).then { |run| [run.stdout, run.stderr] })
      end

      2.times { assert_empty program.boot(env: env).stderr }
      Dir.children(folder).grep(/manifest/n).each { |file| File.binwrite(File.join(folder, file.b), "junk") }
      run = program.boot(env: env.merge("WARMSTART_READONLY" => "1")) # (else the image would be made anew, in silence)
      assert_equal program.plain.stdout, run.stdout
      assert_one_line run.stderr
    end

    test "one line about a variable that is #{name.dump}" do
      run = program(FILES, witness: false).boot(env: { "WARMSTART_MAXIMUM_SIZE" => name, "WARMSTART_MAP" => name })
      assert_one_line run.stderr
      assert_match(/MAXIMUM_SIZE=/, run.stderr)
    end
  end

  test "a text that is longer than a line may be, and one with a NUL" do
    program = program({ "main.rb" => "Warmstart::Native.complain(\"a\\0b\\n\" + \"\\n\" * 9000)\n" }, witness: false)
    run = program.boot
    assert_one_line run.stderr
    assert run.stderr.start_with?('warmstart: a\x00b\n\n')
  end

  # (A line that is put together of parts is looked at by the test that causes it.)
  test "each line that a start may print begins with what to do" do
    words = %w[build correct install mend put remove set take]
    files =
      Dir[File.join(Program::REPOSITORY, "{lib,ext}/warmstart/**/*.{rb,c}")].grep_v(
        %r{/(?:cli|profiler|native)/|/cli\.rb\z}
      )
    found =
      files.flat_map do |path|
        File
          .read(path, encoding: "UTF-8")
          .scan(/(?:\bcomplain\(|ws_complain\)?\(|Failsafe\.tell\(|@complaints << |^ +line = )\s*"([^" ]+)/)
          .flatten
      end
    assert_operator found.size, :>=, 11
    assert_empty found.grep_v(/\A(?:#{Regexp.union(words)}\z|#\{)/)
  end

  test "the first complaint is the only one, and the log has all" do
    program = program(FILES, witness: false)
    env = { "WARMSTART_MAXIMUM_SIZE" => "many", "WARMSTART_READONLY" => "1" }
    all =
      [{}, { "WARMSTART_LOG" => "1" }].map do |log|
        program.boot
        program.manifests.each { |path| File.binwrite(path, "junk") }
        program.boot(env: env.merge(log)).complaints.grep(/MAXIMUM_SIZE|build the image again/)
      end
    assert_equal [1, 2], all.map(&:size), all.inspect
    assert_equal all[0], all[1].first(1)
  end

  test "the command line's complaints are one line each" do
    run = program(FILES).ruby(File.join(Program::REPOSITORY, "exe/warmstart"), "no\nsuch name\e[31m")
    assert_equal 1, run.stderr.lines.grep(/no.*such/).size, run.stderr
    refute_includes run.stderr, "\e"
  end
end
