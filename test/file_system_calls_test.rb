# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/odd_tree"
require "rbconfig"

# What Warmstart::FileSystem asks of the kernel, seen by strace; and what it does when calls fail, vanish or take long,
# which strace makes them do. Skipped where there is none.
class FileSystemCallsTest < TestCase
  LIBRARY = File.expand_path("../lib/warmstart/file_system", __dir__)
  MARK = "/warmstart-mark" # access of this name: here the operation begins and ends
  COUNT = 500

  def self.strace?
    return @strace unless @strace.nil?

    @strace = system("strace", "-o", File::NULL, "true", out: File::NULL, err: File::NULL) ? true : false
  end

  def setup
    skip "there is no strace, or it may not trace" unless self.class.strace?
  end

  def folder
    @folder ||=
      temporary_folder.tap do |folder|
        COUNT.times { |i| File.write(File.join(folder, format("file%03d", i)), "x" * i) }
      end
  end

  # Runs a script with FS and FOLDER; `operation` stands between the marks. Its stdout, and its calls as [name, rest of
  # the line].
  def trace(operation, *options, before: "", on: folder, threads: false)
    log = File.join(temporary_folder, "strace.txt")
    script = <<~RUBY
      require #{LIBRARY.dump}
      FS, FOLDER = Warmstart::FileSystem, ARGV[0]
      def show(object) = $stdout.binmode.write(Marshal.dump(object))
      FS.scan("/", fields: [:type])     # (Ruby makes a thread of its own when its lock is first given away)
      #{before}
      File.readable?(#{MARK.dump})
      #{operation}
      File.readable?(#{MARK.dump})
    RUBY
    output, error, status =
      Open3.capture3(
        "strace",
        *("-f" if threads),
        "-y",
        "-o",
        log,
        *options,
        RbConfig.ruby,
        "--disable-gems",
        "-W0",
        "-e",
        script,
        on
      )
    assert status.success?, error
    calls = File.readlines(log, encoding: Encoding::BINARY).map { |line| line.sub(/\A\d+ +/, "") }
    marks = calls.each_index.select { |index| calls[index].include?(MARK) }
    [output, calls[(marks.first + 1)...marks.last].filter_map { |line| line.match(/\A(\w+)\((.*)/m)&.captures }]
  end

  def counts(calls) =
    calls
      .map(&:first)
      .tally
      .slice("openat", "open", "newfstatat", "lstat", "statx", "getdents64", "close", "readlink", "lgetxattr")

  test "a folder: open, its blocks, one statx a name with the fields that were asked for, close" do
    _, calls = trace("FS.scan(FOLDER, threads: 1)")
    blocks = counts(calls).fetch("getdents64")
    assert_equal({ "openat" => 1, "getdents64" => blocks, "statx" => COUNT, "close" => 1 }, counts(calls))
    assert_operator blocks, :<=, 3
    statx = calls.select { |name, _| name == "statx" }.map(&:last)
    assert_equal [COUNT, ["STATX_MTIME|STATX_SIZE"]],
                 [
                   statx.grep(/\A\d+<.*>, "file\d+", .*AT_SYMLINK_NOFOLLOW/).size,
                   statx.map { |text| text[/STATX_MTIME[A-Z_|]*|STATX_SIZE[A-Z_|]*/] }.uniq
                 ]
  end

  test "names and types alone: no call for any name" do
    _, calls = trace("FS.scan(FOLDER, fields: [:type]).types")
    assert_equal %w[close getdents64 openat], counts(calls).keys.sort
    assert_equal [1, 1], counts(calls).values_at("openat", "close")
  end

  test "each field is asked for by its own bit only" do
    {
      mtime: "STATX_MTIME",
      size: "STATX_SIZE",
      ctime: "STATX_CTIME",
      inode: "STATX_INO",
      links: "STATX_NLINK",
      owner: "STATX_UID|STATX_GID"
    }.each do |field, bits|
      _, calls = trace("FS.scan(FOLDER, fields: [:#{field}], threads: 1)", on: small)
      masks = calls.filter_map { |name, text| text[/(STATX_[A-Z_|]+), \{/, 1] if name == "statx" }
      assert_equal [field, 3, [bits.split("|").sort]],
                   [field, masks.size, masks.map { |mask| mask.sub("STATX_TYPE|STATX_MODE|", "").split("|").sort }.uniq]
    end
  end

  def small
    @small ||= temporary_folder.tap { |folder| 3.times { |i| File.write(File.join(folder, "file#{i}"), "") } }
  end

  test "a tree: a folder costs its open, two or three reads and its close" do
    tree = temporary_folder
    10.times do |i|
      FileUtils
        .mkdir_p(File.join(tree, "folder#{i}"))
        .each { |inner| 5.times { |j| File.write(File.join(inner, "file#{j}"), "") } }
    end
    _, calls = trace("FS.scan(FOLDER, recursive: true, threads: 1)", on: tree)
    assert_equal({ "openat" => 11, "getdents64" => 22, "statx" => 60, "close" => 11 }, counts(calls))
  end

  test "a list: one call a path, however often it stands there" do
    _, calls =
      trace(
        "FS.stat_many(PATHS + PATHS, threads: 1)",
        before: "PATHS = Dir.children(FOLDER).map { |name| File.join(FOLDER, name) }"
      )
    assert_equal({ "statx" => COUNT }, counts(calls))
  end

  # ---- vanishing and failing ----

  test "names that vanish between listing and metadata are left out, kept, or raise" do
    script = <<~RUBY
      names = ->(**options) { FS.scan(FOLDER, threads: 1, **options).map { |entry| [entry.name, entry.size, entry.type, entry.error&.class] } rescue [$!.class, $!.message] }
      show [names.call, names.call(vanished: :keep), names.call(vanished: :raise)]
    RUBY
    output, = trace(script, "-e", "inject=statx:error=ENOENT:when=2+3", on: small)
    skipped, kept, raised = Marshal.load(output)
    order = Dir.children(small)
    assert_equal [order[0], order[2]], skipped.map(&:first)
    assert_equal order, kept.map(&:first)
    assert_equal [nil, :file, Errno::ENOENT], kept[1].drop(1)
    assert_equal [Errno::ENOENT, "No such file or directory @ rb_file_s_lstat - #{small}/#{order[1]}"], raised
  end

  test "a folder that vanishes before it is opened has nothing in it" do
    tree = temporary_folder
    FileUtils.mkdir_p(File.join(tree, "folder/inner"))
    output, = trace("p FS.scan(FOLDER, recursive: true, fields: [:type]).names", *failing_open("ENOENT"), on: tree)
    assert_equal "[\"folder\"]\n", output
  end

  test "a folder that cannot be opened raises, or is kept" do
    tree = temporary_folder
    FileUtils.mkdir_p(File.join(tree, "folder/inner"))
    script = <<~RUBY
      raised = FS.scan(FOLDER, recursive: true) rescue [$!.class, $!.message]
      kept = FS.scan(FOLDER, recursive: true, errors: :keep)
      show [raised, [kept.names, kept[0].error, kept.folder_errors.map(&:class)]]
    RUBY
    output, = trace(script, *failing_open("EACCES"), on: tree)
    raised, kept = Marshal.load(output)
    assert_equal [Errno::EACCES, "Permission denied @ dir_initialize - #{tree}/folder"], raised
    assert_equal [["folder"], nil, [Errno::EACCES]], kept
  end

  # Only folders below a scanned one are opened so.
  def failing_open(error)
    ["-e", "trace=!openat2", "-e", "inject=openat:error=#{error}:when=#{opens_before + 2}+2"]
  end

  # How many files the program has opened when the scan opens its first one.
  def opens_before
    @opens_before ||=
      begin
        log = File.join(temporary_folder, "strace.txt")
        script =
          "require #{LIBRARY.dump}; FS, FOLDER = Warmstart::FileSystem, ARGV[0]; FS.scan('/', fields: [:type]); Dir.exist?(#{MARK.dump})"
        system(
          "strace",
          "-e",
          "trace=openat,newfstatat,stat,statx",
          "-o",
          log,
          RbConfig.ruby,
          "--disable-gems",
          "-W0",
          "-e",
          script,
          small,
          exception: true
        )
        File.readlines(log, encoding: Encoding::BINARY).take_while { |line| !line.include?(MARK) }.grep(/\Aopenat/).size
      end
  end

  test "another failure raises, or is kept" do
    script = <<~RUBY
      raised = FS.scan(FOLDER, threads: 1) rescue [$!.class, $!.message]
      show [raised, FS.scan(FOLDER, threads: 1, errors: :keep).map { |entry| [entry.size, entry.error&.class] }]
    RUBY
    output, = trace(script, "-e", "inject=statx:error=EIO:when=2+1", on: small)
    raised, kept = Marshal.load(output)
    assert_equal [Errno::EIO, "Input/output error @ rb_file_s_lstat - #{small}/#{Dir.children(small)[1]}"], raised
    assert_equal [[nil, Errno::EIO]] * 3, kept
  end

  # ---- slow file systems ----

  SLOW = %w[-e trace=%file,getdents64 -e inject=statx:delay_enter=2000].freeze # microseconds

  test "calls that wait get helpers; the answer is the same" do
    script =
      "slow = FS.scan(FOLDER); p slow.thread_count, slow.names == Dir.children(FOLDER), slow.each_with_index.all? { |entry, i| entry.size == entry.name[/\\d+/].to_i }"
    output, = trace(script, *SLOW, threads: true)
    threads, names, sizes = output.lines(chomp: true)
    assert_equal %w[true true], [names, sizes]
    assert_operator threads.to_i, :>=, 8
  end

  test "so many threads as were said" do
    output, =
      trace(
        "p FS.scan(FOLDER, threads: 1).thread_count, FS.scan(FOLDER, threads: 3).thread_count, FS.stat_many([FOLDER]).thread_count",
        *SLOW,
        on: small,
        threads: true
      )
    assert_equal "1\n3\n1\n", output
  end

  test "an exception from outside ends a slow scan at once and leaves no descriptor" do
    script = <<~RUBY
      before = Dir.children("/dev/fd").size
      start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      [1, 4].each do |threads|
        thread = Thread.new { FS.scan(FOLDER, threads: threads) }
        thread.report_on_exception = false
        sleep 0.1
        thread.raise(IOError, "enough")
        p((thread.value rescue [$!.class, $!.message]))
      end
      thread = Thread.new { FS.scan(FOLDER, threads: 1) }
      sleep 0.1
      p thread.kill.join.equal?(thread)
      p Process.clock_gettime(Process::CLOCK_MONOTONIC) - start < 5, Dir.children("/dev/fd").size - before
    RUBY
    output, = trace(script, "-e", "trace=%file,getdents64", "-e", "inject=statx:delay_enter=20000", threads: true)
    assert_equal "#{[IOError, "enough"].inspect}\n" * 2 + "true\ntrue\n0\n", output
  end

  test "a signal that only runs a handler does not disturb it" do
    script = <<~RUBY
      handled = 0
      trap("USR1") { handled += 1 }
      ticks = 0
      Thread.new { loop { sleep 0.02; ticks += 1 } }
      sender = Thread.new { 5.times { |i| sleep 0.05; Process.kill("USR1", $$); sleep 0.001 until handled > i } }
      names = FS.scan(FOLDER, threads: 1).names
      during = handled
      sender.join
      p names == Dir.children(FOLDER), during.positive?, handled, ticks >= 10
    RUBY
    output, = trace(script, *SLOW, threads: true)
    assert_equal "true\ntrue\n5\ntrue\n", output
  end
end
