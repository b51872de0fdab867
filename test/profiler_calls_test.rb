# frozen_string_literal: true

require "json"
require_relative "test_helper"
require_relative "../lib/warmstart/profiler/native"

# The interposer's counts of file system calls against strace's, of the same calls in the same process.
class ProfilerCallsTest < TestCase
  INTERPOSER = Warmstart::Profiler.library("interposer")
  STRACE = system("strace", "-o", File::NULL, "true", err: File::NULL)

  # Between two marks, so that nothing else is counted.
  WORK = <<~RUBY
    require #{File.join(Program::REPOSITORY, "lib/warmstart/profiler").dump}
    Dir.chdir(__dir__)
    $LOAD_PATH.unshift(__dir__)
    def work
      dir = __dir__
      3.times do
        File.read(dir + "/a.txt")
        File.stat("a.txt"); File.lstat(dir + "/link"); File.exist?("no"); File.file?("a.txt"); File.directory?("folder"); (File.stat("no") rescue 0)
        File.readlink("link"); (File.readlink("a.txt") rescue 0)
        (File.open("no") rescue 0)
        Dir.children("folder"); Dir.entries("."); Dir.glob("*"); Dir.glob("**/*.txt"); Dir.each_child(dir) { nil }; (Dir.children("no") rescue 0)
        File.realpath("a.txt"); File.realpath(dir + "/link"); File.realpath("folder/../chain"); File.realpath(dir); (File.realpath("no") rescue 0)
      end
      File.open("a.txt") { |file| 5.times { file.sysread(1) } }
      File.open("a.txt") { |file| file.pread(100, 0); file.readpartial(1000); file.stat; file.size }
      File.open("a.txt") { |file| file.sysread(5000) }
      File.readable?("a.txt"); File.executable?("no")
      File.write("new", "x"); File.rename("new", "newer"); File.unlink("newer"); Dir.mkdir("made"); Dir.rmdir("made")
      require "feature"
      load "loaded.rb"
      require "feature"
      begin; require "nowhere"; rescue LoadError; end
    end
    profile = Warmstart::Profiler.profile do
      File.exist?("/mark-begin")
      work
      File.exist?("/mark-end")
    end
    require "json"
    puts JSON.generate(profile.to_h)
  RUBY

  FILES = {
    "main.rb" => WORK,
    "a.txt" => "some words\n",
    "folder/b.txt" => "b\n",
    "link" => :"a.txt",
    "chain" => :"folder/../link",
    "feature.rb" => "FEATURE = 1\n",
    "loaded.rb" => "File.stat(__FILE__)\n"
  }.freeze

  # [[name, arguments, failed?], ...] of the calls between the marks.
  def trace(text)
    lines = text.lines
    from, to = %w[begin end].map { |mark| lines.index { |line| line.include?("\"/mark-#{mark}\"") } }
    lines = lines[(from + 1)...to]
    lines
      .filter_map { |line| line.match(/\A(?:\d+ +)?(\w+)\((.*)\) += (-?\d+)/)&.captures }
      .map { |name, arguments, result| [name, arguments, result.to_i.negative?] }
  end

  def setup
    missing "strace is not there, or may not trace" unless STRACE
    skip "there is no interposer for this platform" unless INTERPOSER
  end

  test "opens, stats, links, listings and reads are strace's" do
    program = program(FILES, witness: false, args: %w[--disable-gems], env: { "LD_PRELOAD" => INTERPOSER })
    output = File.join(program.base, "trace")
    run = program.traced(["strace", "-s", "4096", "-o", output], plain: true)
    assert_equal "exit 0", run.status, run.stderr
    profile = JSON.parse(run.stdout.lines.last)
    assert_equal "interposer", profile["calls_source"]
    counted = Hash.new(0).merge(profile.fetch("nodes").first.fetch("total"))
    calls = trace(File.read(output)).reject { |_, arguments, _| arguments.include?("/proc/self/statm") }
    listings, opens =
      calls
        .select { |name, *| %w[open openat].include?(name) }
        .partition { |_, arguments, failed| arguments.include?("O_DIRECTORY") && !failed }
    stats = calls.select { |name, *| name.match?(/\A(new)?[fl]?stat(at|x|64|at64)?\z/) }
    # (readlinkat: the interposer's own, where it goes the way of a realpath once more)
    links = calls.select { |name, *| name == "readlink" }
    # (statm, ours)
    reads =
      calls
        .select { |name, *| %w[read pread64].include?(name) }
        .reject { |_, arguments, _| arguments.end_with?(", 63") }
    assert_operator listings.size, :>, 10
    assert_equal [opens.size, opens.count(&:last)], counted.values_at("open", "open_failed"), "opens"
    assert_equal listings.size, counted["list"], "listings"
    # (the two marks are stats that fail)
    assert_equal [stats.size + 2, stats.count(&:last) + 2], counted.values_at("stat", "stat_failed"), "stats"
    assert_equal [links.size, links.count(&:last)], counted.values_at("readlink", "readlink_failed"), "readlinks"
    assert_equal reads.size, counted["read"], "reads"
    assert_equal reads.count { |_, arguments, _| arguments[/, (\d+)(, \d+)?\z/, 1].to_i <= 16 }, counted["reads_to_16"]
    assert_equal counted["read"],
                 %w[reads_to_16 reads_to_512 reads_to_4096 reads_over_4096].sum { |name| counted[name] }
  end

  PREFIX = [RbConfig.ruby, File.join(Program::REPOSITORY, "exe/warmstart"), "profile", "--json", "-"].freeze

  # Two programs' difference: what the one does more, strace -c and --exact must count alike.
  MORE =
    "7.times { File.read('a.txt'); File.stat('a.txt'); File.exist?('no'); Dir.children('folder'); File.realpath('link'); File.readlink('link'); (File.open('no') rescue 0) }\nrequire './feature'\n"

  # {"openat" => [calls, errors], ...}
  def summary(program)
    output = File.join(program.base, "summary")
    run =
      program.execute(
        ["strace", "-c", "-o", output, RbConfig.ruby, "--disable-gems", program.path("main.rb")],
        env: environment(program)
      )
    assert_equal "exit 0", run.status, run.stderr
    rows = File.readlines(output).map(&:split).select { |words| words[3].to_s.match?(/\A\d+\z/) }
    rows.each_with_object(Hash.new { [0, 0] }) do |words, table|
      table[words.last] = [words[3].to_i, words.size > 5 ? words[4].to_i : 0]
    end
  end

  def exact(program)
    run =
      program.execute(
        [*PREFIX, "--exact", "--", RbConfig.ruby, "--disable-gems", program.path("main.rb")],
        env: environment(program)
      )
    assert_equal "exit 0", run.status, run.stderr
    JSON.parse(run.stdout.lines.last)
  end

  def environment(program) = { "PATH" => ENV["PATH"], "HOME" => program.home, "LANG" => "C.UTF-8" }

  test "--exact counts what strace -c counts" do
    idle, busy = ["", MORE].map { |text| program(FILES.merge("main.rb" => text), witness: false) }
    less, more = summary(idle), summary(busy)
    counted = Hash.new { |hash, name| hash[name] = more[name].zip(less[name]).map { |pair| pair.inject(:-) } }
    sum = ->(*names) { names.map { |name| counted[name] }.transpose.map(&:sum) }
    before = exact(idle)["nodes"].first["total"]
    profile = exact(busy)
    assert_equal "ptrace", profile["calls_source"]
    difference =
      Hash.new { |hash, name| hash[name] = profile["nodes"].first["total"].fetch(name, 0) - before.fetch(name, 0) }
    opens, failed = sum.call("open", "openat")
    assert_operator opens, :>=, 21
    assert_equal [opens, failed], [difference["open"] + difference["list"], difference["open_failed"]]
    assert_equal sum.call("stat", "lstat", "fstat", "newfstatat", "statx"), difference.values_at("stat", "stat_failed")
    assert_equal sum.call("readlink", "readlinkat"), difference.values_at("readlink", "readlink_failed")
    assert_equal sum.call("read", "pread64").first, difference["read"]
    feature = profile["nodes"].find { |node| node["name"] == "./feature" }
    assert_operator feature["self"].fetch("open"), :>=, 1
    assert_equal 0, feature["self"].fetch("list", 0)
  end

  test "--exact without strace says so" do
    program = program(FILES, witness: false)
    run =
      program.execute(
        [*PREFIX, "--exact", "--", RbConfig.ruby, program.path("main.rb")],
        env: environment(program).merge("PATH" => program.home)
      )
    assert_equal ["exit 2", ""], [run.status, run.stdout]
    assert_match(/\Awarmstart: cannot count exactly: there is no strace .*\n\z/, run.stderr)
  end

  test "--no-calls counts none" do
    program =
      program(
        {
          "main.rb" =>
            "File.stat('/')\nputs ENV['LD_PRELOAD'].inspect, File.read('/proc/self/maps').include?('interposer')\n"
        },
        witness: false
      )
    run =
      program.execute([*PREFIX, "--no-calls", "--", RbConfig.ruby, program.path("main.rb")], env: environment(program))
    assert_equal "nil\nfalse\n", run.stdout.lines.first(2).join
    profile = JSON.parse(run.stdout.lines.last)
    assert_nil profile.fetch("calls_source")
    assert_nil profile["nodes"].first["total"]["stat"]
  end

  test "a library that was preloaded before stays preloaded, and is what the program sees" do
    other = File.join(program(FILES, witness: false).base, "other.so").tap { |path| FileUtils.cp(INTERPOSER, path) }
    program =
      program(
        { "main.rb" => "p ENV['LD_PRELOAD'], File.read('/proc/self/maps').scan(/other\\.so$/).any?\n" },
        witness: false
      )
    run =
      program.execute(
        [*PREFIX, "--", RbConfig.ruby, program.path("main.rb")],
        env: environment(program).merge("LD_PRELOAD" => other)
      )
    assert_equal [other.inspect, "true"], run.stdout.lines.first(2).map(&:chomp)
  end
end
