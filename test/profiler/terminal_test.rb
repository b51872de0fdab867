# frozen_string_literal: true

require_relative "../test_helper"
require_relative "../support/profile_generator"
require_relative "../../lib/warmstart/profiler/report"

# The report on a terminal: it fits, it says what matters first, and its options choose what is shown.
class ProfilerTerminalTest < TestCase
  Report = Warmstart::Profiler::Report
  Display = Report::Terminal::Display
  WIDTHS = [40, 60, 80, 120, 200].freeze

  def report(**options)
    @reports ||= Hash.new { |hash, key| hash[key] = Report.new(ProfileGenerator.new(**key).profile) }
    @reports[options]
  end

  def plain(text) = text.gsub(/\e\[[\d;]*m/, "")

  # The tree's lines, without its head.
  def tree(text) =
    plain(text)
      .lines(chomp: true)
      .drop_while { |line| !line.start_with?("Tree") }
      .drop(2)
      .take_while { |line| !line.empty? }

  test "no line is wider than the terminal, whatever names are in it" do
    wide = { "graphql" => "日本語の名前/" * 20, "rack" => "e\u0301" * 90, "nokogiri" => "x" * 400, "i18n" => "🙂" * 70 }
    report = report(names: wide)
    WIDTHS.each do |width|
      [true, false].each do |colors|
        text = report.terminal(width: width, colors: colors, top: 60)
        text.each_line(chomp: true) { |line| assert_operator Display.width(plain(line)), :<=, width, line }
        assert_includes text, "日本"
      end
    end
  end

  test "the first screen names the three costliest causes" do
    WIDTHS
      .drop(1)
      .each do |width|
        screen = report.terminal(width: width).lines.first(20).join
        assert_match(/The three costliest causes of this boot\n1\. garbage collection +444 ms +15 %/, screen)
        assert_match(/^2\. searching for files +\d+ ms/, screen)
        assert_match(/^3\. Bundler\.setup +190 ms/, screen)
        assert_match(/3\.06 s wall · 3\.07 s CPU · 444 ms GC \(33 runs\)/, screen)
      end
  end

  test "there are groups, a tree and advice, in this order" do
    titles =
      plain(report.terminal(width: 80)).scan(/^(The three costliest|By kind|By gem|By folder|Tree|Advice)/).flatten
    assert_equal ["The three costliest", "By kind", "By gem", "By folder", "Tree", "Advice"], titles
  end

  test "columns come and go with the width, the order's own is always there" do
    heads = ->(**options) do
      plain(report.terminal(**options)).lines.find { |line| line.start_with?("    total") }.split
    end
    assert_equal %w[total self], heads.call(width: 60)
    assert_equal %w[total self CPU GC objects], heads.call(width: 80)
    assert_equal %w[total self CPU GC objects calls failed], heads.call(width: 120)
    assert_equal %w[total failed], heads.call(width: 60, sort: "failed")
    assert_equal %w[total memory self CPU GC], heads.call(width: 80, sort: "memory")
  end

  test "without counted calls there is no column for them" do
    raw = ProfileGenerator.new(gems: 4).profile.merge("calls_source" => nil)
    text = Report.new(raw).terminal(width: 200)
    refute_match(/\bfailed$/, text.lines.find { |line| line.start_with?("    total") })
    assert_includes text, "file system calls were not counted"
  end

  test "the tree has the greatest nodes, those above them, and says what it leaves out" do
    lines = tree(report.terminal(width: 120, top: 6))
    assert_match(%r{3\.06 s .* bin/rails}, lines.first)
    assert(lines.any? { |line| line.include?("Bundler.require") })
    assert(lines.any? { |line| line.match?(/mime-types \+\d+/) })
    assert(lines.any? { |line| line.match?(/─ \d+ more/) })
    assert_operator lines.size, :<, 20
    assert_operator tree(report.terminal(width: 120, top: 100)).size, :>, 80
  end

  test "min_ms and grep leave out, sort puts in order" do
    text = report.terminal(width: 120, min_ms: 200, top: 500)
    times = tree(text).reject { |line| line.match?(/\d+ more/) }.map { |line| line[/\A +([\d.]+ m?s)/, 1] }
    assert(times.all? { |time| time.end_with?(" s") || time.to_f >= 200 }, times.inspect)

    found = tree(report.terminal(width: 120, grep: "mime-types.YML"))
    assert_match(/mime-types\.yml/, found.join)
    refute_match(/addressable/, found.join)
    assert_equal ["no node is like that"],
                 plain(report.terminal(grep: "nothing like it")).lines(chomp: true).grep(/no node/)

    own = tree(report.terminal(width: 120, sort: "self", top: 1))
    assert_match(/190 ms.*Bundler\.setup|Bundler\.setup/, own.join)
    assert_raises(ArgumentError) { report.terminal(sort: "beauty") }
  end

  test "colours change nothing but colours" do
    coloured = report.terminal(width: 120, colors: true)
    assert_includes coloured, "\e["
    assert_equal report.terminal(width: 120), plain(coloured)
    refute_includes report.terminal(width: 120), "\e"
  end

  test "colours are for terminals whose user wants them" do
    terminal = Object.new.tap { |output| def output.tty? = true }
    file = StringIO.new
    style = Report::Terminal::Style
    assert style.wanted?(terminal, {})
    assert style.wanted?(terminal, "NO_COLOR" => "")
    refute style.wanted?(terminal, "NO_COLOR" => "1")
    refute style.wanted?(terminal, "TERM" => "dumb")
    refute style.wanted?(file, {})
  end

  test "the width is COLUMNS, or the terminal's" do
    terminal =
      Object.new.tap do |output|
        def output.tty? = true
        def output.winsize = [24, 133]
      end
    assert_equal 77, Report::Terminal.width_of(terminal, "COLUMNS" => "77")
    assert_equal 133, Report::Terminal.width_of(terminal, {})
    assert_equal 120, Report::Terminal.width_of(StringIO.new, {})
  end

  # What is printed on a terminal of so many columns.
  def printed(columns, environment = {})
    require "io/console"
    require "pty"
    file = File.join(temporary_folder, "profile.json")
    File.write(file, JSON.generate(ProfileGenerator.new(gems: 5).profile))
    code =
      "require #{File.join(Program::REPOSITORY, "lib/warmstart/profiler/report").dump}; Warmstart::Profiler::Report.read(ARGV[0]).print($stdout, top: 8)"
    master, slave = PTY.open
    slave.winsize = [24, columns]
    pid =
      Process.spawn(
        {
          "COLUMNS" => nil,
          "NO_COLOR" => nil,
          "TERM" => "xterm",
          "LANG" => "C.UTF-8",
          "LC_ALL" => nil,
          "RUBYOPT" => nil
        }.merge(environment),
        RbConfig.ruby,
        "-w",
        "-e",
        code,
        file,
        in: File::NULL,
        out: slave,
        err: slave
      )
    slave.close
    text = +""
    loop { text << master.readpartial(4096) }
  rescue EOFError, Errno::EIO
    Process.wait(pid)
    text.force_encoding(Encoding::UTF_8).delete("\r")
  ensure
    master&.close
  end

  test "on a terminal it is as wide as that, and coloured" do
    skip "Windows has no pty" if Program::WINDOWS
    [66, 130].each do |columns|
      text = printed(columns)
      assert_includes text, "\e["
      widths = plain(text).lines(chomp: true).map { |line| Display.width(line) }
      assert_operator widths.max, :<=, columns
      assert_operator widths.max, :>, columns - 12
    end
    refute_includes printed(80, "NO_COLOR" => "1"), "\e"
    assert printed(80, "LANG" => "C").ascii_only? || RUBY_PLATFORM.include?("darwin")
  end

  test "names cannot steer the terminal" do
    text = report(names: { "activemodel" => "a\e[2J\e]0;x\a\r\u202eb" }).terminal(width: 120, grep: "activemodel|2J")
    refute_match(/[\e\a\r\u202e]/, text)
    assert_includes text, '\\u001b[2J'
  end

  test "without UTF-8 it is plain ASCII" do
    text = report(names: { "activemodel" => "日本" }).terminal(width: 80, unicode: false, grep: "日本")
    assert text.ascii_only?
    assert_includes text, "`- "
    assert_includes text, '\\u65e5'
  end

  test "texts are cut in the middle, by what they take on a terminal" do
    assert_equal "abc", Display.fit("abc", 3)
    assert_equal "a…c", Display.fit("abbbc", 3)
    assert_equal "ab…fg", Display.fit("abcdefg", 5)
    assert_equal "日…語", Display.fit("日本本語", 5)
    assert_equal 4, Display.width("日本")
    assert_equal 1, Display.width("e\u0301")
    assert_equal "", Display.fit("abc", 0)
    assert_equal ["aa bb", "cc"], Display.wrap("aa bb cc", 5)
    assert_equal "██▌", Display.bar(0.5, 5)
  end

  test "a boot of one node is a report, too" do
    sketch = ProfileSketch.new(application: nil)
    sketch.add(nil, "program", "-e", own: 0)
    text = Report.new(sketch.profile).terminal(width: 80)
    assert_includes text, "0.00 ms wall"
    assert_includes text, "no rule found a saving of a millisecond"
  end
end
