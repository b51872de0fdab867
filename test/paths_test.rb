# frozen_string_literal: true

require_relative "test_helper"
require_relative "paths/answers"
require_relative "paths/compare"
require "tmpdir"

# Warmstart::Path. The rules of POSIX are compared with File in this process, those of Windows with what CRuby for
# Windows has answered (paths/windows_answers.txt, which paths/record.rb wrote). NAMES=1000000 asks so many questions of
# File; SEED=1 other ones.
class PathsTest < TestCase
  Path = Warmstart::Path
  Windows = Path::Windows
  Posix = Path::Posix
  NAMES = Integer(ENV.fetch("NAMES", "20000"))
  SEED = Integer(ENV.fetch("SEED", "20260101"))
  HERE = { directory: "C:/work", home: "C:/home/me", drives: { "D:" => "D:\\other\\" } }.freeze

  test "the rules of POSIX answer what File answers" do
    skip "this is Windows" if Path.rules == Windows
    questions = PathQuestions.new(SEED, windows: false)
    differences =
      Array
        .new(NAMES) { questions.take }
        .filter_map do |question|
          expected, actual =
            PathAnswers.ask(File, question),
            PathAnswers.ask(PathAnswers.rules(Posix, question), question)
          "#{question.inspect}: #{actual.inspect}, should be #{expected.inspect}" if actual != expected
        end
    assert_empty differences.first(10)
  end

  # (Recorded under Wine, whose own ways are told apart: compare.rb.)
  test "the rules of Windows answer what CRuby for Windows has answered" do
    lines =
      File.readlines(File.join(__dir__, "paths/windows_answers.txt"), mode: "rb").map { |line| PathAnswers.read(line) }
    assert_operator lines.size, :>=, 3000
    assert_equal 8, lines.map { |question, _| question.first }.uniq.size
    found = lines.group_by { |question, expected| difference(question, expected) }
    assert_empty found[:unexplained].to_a.first(10)
    assert_operator found[nil].size, :>, lines.size * 0.85
  end

  # From Ruby's own tests, which pass on Windows: test/ruby/test_path.rb, test_file_exhaustive.rb, ruby/spec core/file.
  RUBYS_TESTS = [
    %w[//127.0.0.1/share / //127.0.0.1/share/sub],
    %w[//127.0.0.1/share/dir /dir //127.0.0.1/share/sub],
    %w[z:/ / z:/sub],
    %w[z:/dir /dir z:/sub],
    %w[// . //],
    %w[//sub sub //],
    ["//127.0.0.1/\u3042", "\u3042", "//127.0.0.1"],
    %w[//foo //foo //bar],
    %w[//bar/foo /foo //bar],
    %w[//foo //foo /bar],
    %w[// //],
    %w[// //.],
    %w[// //..],
    %w[C:/aaa C://aaa::$DATA],
    %w[C:/aa:a C://aa:a:$DATA],
    %w[C:/aaa:$DATA C://aaa:$DATA],
    %w[C:/work/a a.],
    %w[C:/work/a a..],
    %w[C:/work/.a .a],
    %w[C:/work/..a ..a],
    %w[C:/work/a../b a../b],
    ["C:/a", "C:/a "],
    %w[c:/bar/foo c:foo c:/bar],
    %w[e:/foo e:foo d:/bar],
    %w[C:/dir C:/./dir],
    %w[C:/home/me ~ C:/FooBar],
    %w[C:/home/me/bar/foo foo ~/bar],
    %w[C:/ C:/ D:/]
  ].freeze

  test "Ruby's own tests for Windows" do
    RUBYS_TESTS.each do |expected, *arguments|
      assert_equal expected, Windows.expand(*arguments, **HERE), arguments.inspect
    end
    assert_equal %w[C:. C:. C:a C:/ C:/a //a/b //a],
                 %w[C: C:a/ C:a/b C:///a C://a/b ///a/b/c ///a/].map { |path| Windows.dirname(path) }
    assert_equal ["\\", "b", "", "", "foo"],
                 ["C:\\", "C:a/b/", "C:", "C:::$DATA", "C:\\foo"].map { |path| Windows.basename(path) }
    assert_equal ["C:\\windows", "C:\\windows", "C:/windows"],
                 [["C:", "\\windows"], ["C:/", "\\windows"], ["C:\\", "/windows"]].map { |parts| Windows.join(*parts) }
    assert_equal ["", "", ".rb"], %w[.foo. foo. a.rb::$DATA].map { |path| Windows.extname(path) }
  end

  test "a home with dots and slashes is taken as it is written" do
    skip "this is Windows" if Path.rules == Windows
    before = ENV.fetch("HOME", nil)
    %w[/a/../b/ /a// // / //x/..].each do |home|
      ENV["HOME"] = home
      %w[~ ~/.. ~/../.. ~/x ~/.//..//z].each do |path|
        assert_equal File.expand_path(path), Path.expand(path), "#{path} with HOME=#{home}"
      end
      assert_equal File.expand_path("../y", "~"), Path.expand("../y", "~")
    end
    ["a", ""].each do |home|
      ENV["HOME"] = home
      assert_raises(ArgumentError) { Path.expand("~") }
    end
    ENV.delete("HOME")
    assert_equal File.expand_path("~/x"), Path.expand("~/x")
  ensure
    ENV["HOME"] = before
  end

  test "a base in the home folder whose bytes are none of its encoding" do
    skip "this is Windows" if Path.rules == Windows
    bases = ["~/\u00E9".b, "~/\xE9".dup.force_encoding("Windows-1252"), "~/\u00E9", "~/a".b]
    bases.product(["x", "x".b, "", "/x", "~/y", "\u00E9".b]) do |base, path|
      assert_equal PathAnswers.ask(File, ["expand", "", path, base]),
                   PathAnswers.ask(Posix, ["expand", "", path, base]),
                   [path, base].inspect
    end
  end

  test "a user's home is in the user database, for this system's rules" do
    skip "this is Windows" if Path.rules == Windows
    assert_equal File.expand_path("~root/x"), Path.expand("~root/x")
    assert_equal File.expand_path("x/..", "~root/a"), Path.expand("x/..", "~root/a")
    assert_raises(ArgumentError) { Path.expand("~no_such_user_here/x") }
    assert_raises(ArgumentError) { Windows.expand("~root", **HERE) }
    assert_equal "C:/work/~root", Windows.absolute("~root", **HERE.except(:home))
  end

  test "drives and shares" do
    assert_equal "C:/work/foo", Windows.expand("C:foo", **HERE)
    assert_equal "D:/other/foo", Windows.expand("D:foo", **HERE)
    assert_equal "D:/other/foo", Windows.expand("d:foo", "C:/x", **HERE).sub(/\Ad/, "D")
    assert_equal "E:/foo", Windows.expand("E:foo", **HERE)
    assert_equal "D:/x/foo", Windows.expand("D:foo", "D:/x", **HERE)
    assert_equal "C:/foo", Windows.expand("\\foo", **HERE)
    assert_equal "//host/share/foo", Windows.expand("/foo", "//host/share/a/b")
    assert_equal "//host/share", Windows.expand("../../..", "\\\\host\\share\\a")
    assert_equal "//?/C:/a", Windows.expand("\\\\?\\C:\\x\\..\\a")
  end

  test "names that mean something else" do
    assert_equal "//./NUL", Windows.expand("C:/tmp/NUL")
    assert_equal "//./nul", Windows.expand("a/nul.txt", **HERE)
    assert_equal "C:/work/file.rb", Windows.expand("file.rb. . ", **HERE)
    assert_equal "C:/work/file.rb", Windows.expand("file.rb::$DATA", **HERE)
    assert_equal "C:/work/file.rb:x", Windows.expand("file.rb:x:$data", **HERE)
    assert_equal "C:/PROGRA~1", Windows.expand("C:/PROGRA~1")
    assert_equal "C:/home/me/x", Windows.expand("~\\x", **HERE)
  end

  test "what is not known is not guessed" do
    skip "these are this system's rules" if Path.rules == Windows
    assert_raises(ArgumentError) { Windows.expand("foo") }
    assert_raises(ArgumentError) { Windows.expand("\\foo") }
    assert_raises(ArgumentError) { Windows.expand("~") }
    assert_raises(ArgumentError) { Windows.expand("~/x", home: "me") }
    assert_equal "C:/foo", Windows.expand("C:foo", drives: {})
  end

  test "arguments as File takes them" do
    with_path = Struct.new(:to_path).new("/a/b.rb")
    [Posix, Windows].each do |rules|
      assert_equal "b.rb", rules.basename(with_path)
      assert_equal "/a", rules.dirname(with_path)
      assert_equal "C:/q/a/b.rb".delete_prefix(rules == Posix ? "C:" : ""),
                   rules.expand(Struct.new(:to_path).new("a/b.rb"), rules == Posix ? "/q" : "C:/q")
      assert_raises(TypeError) { rules.expand(nil) }
      assert_raises(TypeError) { rules.basename(1) }
      assert_raises(ArgumentError) { rules.expand("a\0b") }
      assert_raises(ArgumentError) { rules.dirname("a", -1) }
      assert_raises(EncodingError) { rules.expand("a".encode("UTF-16LE")) }
      assert_raises(EncodingError) { rules.join("\xE9".dup.force_encoding("ISO-8859-1"), "é") }
      recursive = ["a"]
      assert_raises(ArgumentError) { rules.join(recursive << recursive) }
      assert_equal ["a/b/c", ""], [rules.join("a", ["b", []], "c"), rules.join]
      assert_predicate rules.expand("a", rules == Posix ? "/q" : "C:/q"), :valid_encoding?
    end
  end

  test "long paths" do
    long = "C:/#{(["a" * 200] * 300).join("/")}"
    assert_equal long, Windows.expand("x/../#{long.delete_prefix("C:/")}", "C:/")
    assert_equal long.delete_prefix("C:"), Posix.expand(long.delete_prefix("C:/"), "/")
    assert_equal "#{"/x" * 40_000}/y", Posix.expand("x/" * 40_000 + "y", "/")
  end

  test "the same name, whatever its case: by the system's table" do
    assert Windows.same?("C:/App/\u00C9.RB", "c:\\app\\\u00E9.rb")
    assert Windows.same?("x", "C:/WORK/y/../X.", **HERE)
    assert Windows.same?("C:/\u00FF", "C:/\u0178")
    refute Windows.same?("C:/stra\u00DFe", "C:/strasse")
    refute Windows.same?("C:/\u0131", "C:/I"), "no dotless i"
    refute Windows.same?("C:/\u00B5", "C:/\u039C"), "a micro sign has no capital there"
    refute Windows.same?("C:/e\u0301", "C:/\u00E9"), "no normalization"
    refute Windows.same?("C:/\u{10428}", "C:/\u{10400}"), "no case outside of the first plane"
    refute Posix.same?("/a", "/A")
    assert Posix.same?("/a", "/b/../a")
  end

  test "inside of a folder" do
    assert Windows.within?("c:\\App\\x", "C:/app")
    refute Windows.within?("C:/apple", "C:/app")
    assert Windows.within?("C:/x", "C:/")
    assert Posix.within?("/a/b", "/a")
    refute Posix.within?("/A/b", "/a")
  end

  test "the table of capitals holds what is known of it, and comes from its generator" do
    text = File.read(File.join(Program::REPOSITORY, "ext/warmstart/core/path/path_case_table.h"))
    ranges =
      text
        .scan(/\{ 0x(\h+), 0x(\h+), (\d), (-?\d+) \}/)
        .map { |first, last, step, difference| [first.hex, last.hex, step.to_i, difference.to_i] }
    assert_operator ranges.size, :>, 100
    assert_equal ranges.sort, ranges
    assert(ranges.each_cons(2).all? { |one, other| one[1] < other[0] }, "they do not overlap")
    nls = %w[C:/Windows/System32/l_intl.nls /usr/share/wine/nls/l_intl.nls].find { |path| File.file?(path) }
    skip "no table of a system here" unless nls
    load File.join(Program::REPOSITORY, "bin/case_table")
    assert_equal CaseTable.new(nls).text, text
  end

  test "canonical names" do
    folder = Path.canonical(temporary_folder)
    File.write(File.join(folder, "A long name.html"), "")
    assert_equal "#{folder}/A long name.html", Path.canonical("A long name.html", folder)
    assert_equal "#{folder}/A long name.html", Path.canonical("#{folder}/../#{File.basename(folder)}/A long name.html")
    assert_raises(Errno::ENOENT) { Path.canonical("none", folder) }
    assert_raises(Path.rules == Windows ? Errno::ENOENT : Errno::ENOTDIR) do
      Path.canonical("A long name.html/x", folder)
    end
    assert_raises(ArgumentError) { Path.canonical("a\0b") }
  end

  test "canonical names behind links" do
    folder = Path.canonical(temporary_folder)
    File.write(File.join(folder, "file"), "")
    begin
      File.symlink("file", File.join(folder, "link"))
    rescue NotImplementedError, SystemCallError
      nil
    end
    skip "no links here" unless File.exist?(File.join(folder, "link"))
    assert_equal "#{folder}/file", Path.canonical(File.join(folder, "link"))
    File.symlink("loop", File.join(folder, "loop"))
    assert_raises(SystemCallError) { Path.canonical("loop", folder) }
  end

  test "Windows: one canonical name for every case, stream and trailing dot, and none in a folder for a device" do
    skip "this is not Windows" unless Path.rules == Windows
    folder = Path.canonical(temporary_folder)
    file = "#{folder}/A long name.html"
    File.write(file, "")
    [file.upcase, "#{file}. .", "#{file}::$DATA", file.tr("/", "\\")].each do |name|
      assert_equal file, Path.canonical(name), name
    end
    assert_equal "//./NUL", Path.canonical("NUL", folder)
  end

  # The patch of File is for Windows; what it does is tried everywhere.
  PATCHED = <<~RUBY
    require "warmstart/path"
    require "warmstart/core_ext"
    require "paths/answers"
    questions = PathQuestions.new(%<seed>d, windows: Warmstart::Native.path_windows?)
    list = Array.new(%<count>d) { questions.take }.select { |question| %%w[expand absolute].include?(question.first) }
    # On Windows Ruby's own answers may come from the disk, so there it is our other way to the same rules that is compared with.
    windows, reference = Warmstart::Native.path_windows?, Warmstart::Native.path_windows? ? Warmstart::Path : File
    list.select! { |question| question[2..].all? { |part| part.encoding == Encoding::UTF_8 && part.valid_encoding? } } if windows
    shape = -> { [:expand_path, :absolute_path].map { |name| method = File.method(name); [method.arity, method.owner, method.parameters, method.source_location] } }
    errors = -> { [[nil], [1], [], ["a", "b", "c"], ["a\\0b"], ["~nobody_here"], ["C:/a/b", "c\\0"], ["/a/b", "c\\0"], ["C:/a/b", 1], [1, "c\\0"], ["a\\0", 1],
                ["C:/a/b".encode("UTF-16LE")], ["C:/a/b", "c".encode("UTF-16LE")]].map { |arguments| File.expand_path(*arguments) rescue [$!.class, $!.message, $!.backtrace.size] } }
    # (And names that the patch leaves to the system are left out.)
    list.select! { |question| (answer = PathAnswers.ask(reference, question).first) && !answer.start_with?("//") && !answer.include?("./") } if windows
    before, shape_before, errors_before = list.map { |question| PathAnswers.ask(reference, question) }, shape.call, errors.call
    Warmstart::CoreExt::ExpandPath.install
    differences = list.zip(before).select { |question, expected| PathAnswers.ask(File, question) != expected }
    puts differences.first(5).map(&:inspect), "\#{list.size} asked, \#{differences.size} otherwise", shape.call == shape_before
    p errors.call.zip(errors_before).reject { |ours, plain| ours == plain }
    File.write(ARGV.first, "")
    Warmstart::CoreExt::ExpandPath.uninstall
    p File.method(:expand_path).source_location, File.expand_path("a", "/").delete_prefix(Dir.pwd[/\\A\\w:/].to_s)
  RUBY

  test "File.expand_path and absolute_path by our rules answer as Ruby's own do" do
    folder = temporary_folder
    code = format(PATCHED, seed: SEED, count: NAMES)
    output, status =
      Open3.capture2e(
        RbConfig.ruby,
        "-W",
        "--disable-gems",
        "-I",
        File.join(Program::REPOSITORY, "lib"),
        "-I",
        __dir__,
        "-e",
        code,
        File.join(folder, "x")
      )
    assert_predicate status, :success?, output
    lines = output.lines(chomp: true)
    assert_match(/\A\d{4,} asked, 0 otherwise\z/, lines.first, output)
    assert_equal ["true", "[]", "nil", "\"/a\""], lines[1..], output
  end

  test "File's methods are patched on Windows only, and not where the setting says so" do
    program =
      program({ "main.rb" => "p Warmstart::CoreExt::ExpandPath.instance_variable_get(:@methods)\n" }, witness: false)
    skip "this is Windows" if Path.rules == Windows
    assert_equal "nil\n", program.boot.stdout
  end
end
