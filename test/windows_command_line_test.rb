# frozen_string_literal: true

require_relative "test_helper"
require_relative "../lib/warmstart/windows_command_line"

# A command line of Windows as words, and `warmstart exec` there: the main script is known before RubyGems is loaded.
class WindowsCommandLineTest < TestCase
  # Line => words. On Windows Ruby itself is asked, too.
  LINES = {
    'a "b c"  d' => ["a", "b c", "d"], "'a b'\tc" => ["a b", "c"], %q("it's" 'say "x"') => ["it's", %q(say "x")],
    'a\\b "c\\" d"' => ["a\\b", 'c" d'], 'a\\"b c' => ['a"b', "c"], '"a\\\\" b' => ["a\\", "b"], '"a\\\\\\"b"' => ['a\\"b'],
    '"a""b" c"' => ['a"b c'], '"""" x' => ['" x'], '"a"""b c" d' => ['a"b c', "d"], '"" x' => ["", "x"], "''" => [""],
    'a"b"c' => ["abc"], 'a\\\\"b c"' => ["a\\b c"], "'a\\' b" => ["a\\", "b"], %q("a\\'b") => ["a'b"], %q("a'b\\"c" d) => [%q(a'b"c), "d"],
    %q('a""b' c) => ['a""b', "c"], '"not closed' => ["not closed"], "" => []
  }.freeze

  test "words are those that Ruby makes of the line" do
    LINES.each { |line, words| assert_equal words, Warmstart::WindowsCommandLine.words("ruby.exe #{line}").drop(1), line }
  end

  def needs_windows = Program::WINDOWS || skip("Ruby is asked on Windows")

  # (Ruby starts what is one text without a shell's characters in it as it is.)
  test "Ruby for Windows itself finds these words" do
    needs_windows
    program = program({ "show.rb" => "File.binwrite('words', Marshal.dump(ARGV))\n" })
    LINES.each do |line, words|
      Dir.chdir(program.folder) { system("#{RbConfig.ruby.tr("/", "\\")} --disable-gems show.rb #{line}") }
      assert_equal words, Marshal.load(File.binread(program.path("words"))), line
    end
  end

  OPTIONS = "-I#{File.join(Program::REPOSITORY, "lib/warmstart/before_rubygems")} -r#{Program::SETUP}"

  def root(program, *words) = program.ruby(*words, env: { "RUBYOPT" => OPTIONS }).stdout

  test "exec: the script is found whatever its arguments, code is none; RubyGems comes from the image" do
    needs_windows
    script = "session = Warmstart.session\nprint File.basename(session.location.root), ' ', session.instance_variable_get(:@early).inspect\n"
    program = program({ "a script.rb" => script, "counts.rb" => "print Warmstart::Native.counts[:hit], ' ', Warmstart::Native.counts[:miss]\n" })
    [[], ["x", "y z"], ["it's", 'a"b', "\\", ""]].each { |words| assert_equal "a script.rb true", root(program, "-W0", "a script.rb", *words) }
    # A name with wildcards that Ruby has replaced: nobody knows which word is the script, as where it is code.
    assert_equal "ruby.exe true", root(program, "a script.rb", "*.rb")
    assert_equal "ruby.exe true", root(program, "-e", script, "a script.rb")
    assert_match(/\A0 \d{2,}\z/, root(program, "counts.rb"))
    assert_match(/\A\d{2,} 0\z/, root(program, "counts.rb"))
  end
end
