# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/odd_tree"
require "etc"
require "find"
require "timeout"
require_relative "../lib/warmstart/file_system"

# Warmstart::FileSystem beside Ruby's own answers.
class FileSystemTest < TestCase
  FS = Warmstart::FileSystem
  ALL = %i[type size mtime ctime inode device mode links owner].freeze

  def odd_tree = OddTree.make(temporary_folder)

  def facts_of(stat)
    [
      stat.ftype.to_sym,
      stat.size,
      nanoseconds(stat.mtime),
      nanoseconds(stat.ctime),
      stat.ino,
      stat.dev,
      stat.mode,
      stat.nlink,
      stat.uid,
      stat.gid
    ]
  end

  def nanoseconds(time) = time.to_i * 1_000_000_000 + time.nsec

  def facts(entry)
    [
      entry.type,
      entry.size,
      entry.mtime,
      entry.ctime,
      entry.inode,
      entry.device,
      entry.mode,
      entry.links,
      entry.owner,
      entry.group
    ]
  end

  def raised(&block)
    block.call
    flunk "nothing was raised"
  rescue StandardError => error
    [error.class, error.message, error.message.encoding]
  end

  test "names, their encoding and their order are those of Dir.children" do
    folder = odd_tree
    names = FS.scan(folder).names
    assert_equal Dir.children(folder), names
    assert_equal Dir.children(folder).map(&:encoding), names.map(&:encoding)
    assert_operator names.count { |name| !name.valid_encoding? }, :>=, 1
    assert_empty FS.scan(temporary_folder).names
  end

  test "names are in the default internal encoding, as Dir.children's" do
    folder = temporary_folder
    File.write(File.join(folder, "caf\u00e9"), "")
    script =
      "require ARGV[0]; p Warmstart::FileSystem.scan(ARGV[1]).names == Dir.children(ARGV[1]), Warmstart::FileSystem.scan(ARGV[1]).names[0].encoding"
    output, =
      Open3.capture2({ "LC_ALL" => "C.UTF-8" }, RbConfig.ruby, "-E", "UTF-8:ISO-8859-1", "-e", script, LIBRARY, folder)
    assert_equal "true\n#<Encoding:ISO-8859-1>\n", output
  end

  LIBRARY = File.expand_path("../lib/warmstart/file_system", __dir__)

  test "metadata of every kind of file are those of File.lstat" do
    folder = odd_tree
    listing = FS.scan(folder, fields: ALL)
    listing.each { |entry| assert_equal facts_of(File.lstat(entry.path)), facts(entry), entry.name.inspect }
    assert_equal %i[directory fifo file link socket], listing.types.uniq.sort
  end

  test "devices have their types" do
    skip "no /dev" unless File.chardev?("/dev/null")
    types = FS.scan("/dev", fields: %i[type]).to_h { |entry| [entry.name, entry.type] }
    types.each do |name, type|
      if File.symlink?("/dev/#{name}") || File.exist?("/dev/#{name}")
        assert_equal File.lstat("/dev/#{name}").ftype, type.to_s, name
      end
    end
    assert_equal :characterSpecial, types.fetch("null")
  end

  test "columns are the entries' facts" do
    listing = FS.scan(odd_tree, fields: ALL, recursive: true)
    assert_equal listing.map(&:name), listing.names
    assert_equal listing.map(&:size), listing.sizes
    assert_equal listing.map(&:mtime), listing.mtimes
    (ALL + [:group]).each { |field| assert_equal listing.map(&field), listing.column(field) }
    assert_equal listing.size, listing.each.size
    assert_equal [listing[0].name, listing[-1].name, nil],
                 [listing.names.first, listing.names.last, listing[listing.size]]
  end

  test "what was not asked for is an error, not a guess" do
    listing = FS.scan(odd_tree, fields: %i[mtime])
    assert_equal :file, listing.find { |entry| entry.name == "plain" }.type
    assert_match(/size was not asked for/, assert_raises(ArgumentError) { listing.sizes }.message)
    assert_raises(ArgumentError) { listing[0].inode }
    assert_raises(ArgumentError) { FS.scan("/", fields: %i[colour]) }
    assert_raises(ArgumentError) { FS.scan("/", errors: :ignore) }
    assert_raises(ArgumentError) { FS.scan("/", vanished: :ignore) }
    assert_raises(ArgumentError) { FS.scan("/", threads: 0) }
  end

  # ---- trees ----

  def below(folder) = Find.find(folder).drop(1).map { |path| path.delete_prefix("#{folder}/") }

  [1, 2, 8].each do |threads|
    test "a tree with #{threads} threads holds what Find finds, nearer folders first" do
      folder = odd_tree
      listing = FS.scan(folder, fields: ALL, recursive: true, threads: threads)
      assert_equal below(folder).sort_by(&:b), listing.names.sort_by(&:b)
      listing.each do |entry|
        assert_equal facts_of(File.lstat(File.join(folder, entry.name))), facts(entry), entry.name.inspect
      end
      depths = listing.names.map { |name| name.b.count("/") }
      assert_equal depths.sort, depths
      assert_equal listing.names, FS.scan(folder, fields: %i[type], recursive: true).names
    end
  end

  test "links to folders are not entered" do
    folder = odd_tree
    assert File.directory?(File.join(folder, "link_to_folder"))
    assert_empty FS.scan(folder, recursive: true).names.select { |name| name.b.start_with?("link_to_folder/") }
  end

  test "a block says which folders are looked into" do
    folder = odd_tree
    asked = []
    listing =
      FS.scan(folder) do |entry|
        asked << [entry.name, entry.type, entry.path]
        entry.basename != "deep"
      end
    assert_equal below(folder).reject { |name| name.b.match?(%r{(\A|/)deep/}n) }.sort_by(&:b),
                 listing.names.sort_by(&:b)
    assert_includes asked, ["folder/deep", :directory, File.join(folder, "folder/deep")]
    assert_empty asked.reject { |name, type, path| type == :directory && path == File.join(folder, name) }
  end

  test "an error in the block closes all" do
    folder = odd_tree
    before = Dir.children("/dev/fd").size
    assert_equal [RuntimeError, "enough"], raised { FS.scan(folder) { raise "enough" } }.first(2)
    assert_equal(:done, catch(:out) { FS.scan(folder) { throw :out, :done } })
    assert_equal before, Dir.children("/dev/fd").size
  end

  # ---- lists of paths ----

  test "a list of paths: in its order, twice where it is twice, nil where nothing is" do
    folder = odd_tree
    paths = %w[folder/inner nothing plain dangling plain plain/below].map { |name| File.join(folder, name) }
    listing = FS.stat_many(paths, fields: ALL)
    assert_equal paths, listing.names
    assert_equal [:file, nil, :file, :link, :file, nil], listing.types
    assert_equal [Errno::ENOENT, Errno::ENOTDIR], listing.filter_map { |entry| entry.error&.class }
    assert_equal raised { File.lstat(paths[1]) }.first(2), [listing[1].error.class, listing[1].error.message]
    assert_equal [true, false], [listing[0].exist?, listing[1].exist?]
    listing.each { |entry| assert_equal facts_of(File.lstat(entry.path)), facts(entry) if entry.exist? }
    assert_empty FS.stat_many([]).names
  end

  test "a list of paths follows links when it should" do
    folder = odd_tree
    listing = FS.stat_many([File.join(folder, "link_to_folder"), File.join(folder, "dangling")], follow: true)
    assert_equal [:directory, nil], listing.types
    assert_equal raised { File.stat(File.join(folder, "dangling")) }.first(2),
                 [listing[1].error.class, listing[1].error.message]
  end

  test "paths may be Pathnames, and relative" do
    require "pathname"
    folder = odd_tree
    Dir.chdir(folder) { assert_equal %i[file directory], FS.stat_many([Pathname("plain"), "folder"]).types }
    assert_equal FS.scan(folder).names, FS.scan(Pathname(folder)).names
  end

  test "thousands of paths" do
    folder = temporary_folder
    3_000.times { |i| File.write(File.join(folder, "file#{i}"), "x" * (i % 7)) }
    paths =
      Dir
        .children(folder)
        .shuffle(random: Random.new(1))
        .flat_map { |name| [File.join(folder, name), File.join(folder, "no#{name}")] }
    expected = paths.map { |path| File.exist?(path) ? File.size(path) : nil }
    [1, 4].each { |threads| assert_equal expected, FS.stat_many(paths, threads: threads).sizes }
  end

  # ---- errors ----

  test "errors of the folder are those of Dir.children" do
    folder = temporary_folder
    File.write(File.join(folder, "file"), "")
    [
      File.join(folder, "nothing"),
      File.join(folder, "file"),
      "",
      "a\0b",
      nil,
      7,
      "a".encode("UTF-16LE"),
      "/caf\u00e9".encode("ISO-8859-1"),
      "x" * 300
    ].each { |path| assert_equal raised { Dir.children(path) }, raised { FS.scan(path) } }
  end

  test "errors of a path are those of File.lstat" do
    ["x" * 300, "a\0b", nil, "a".encode("UTF-16LE")].each do |path|
      assert_equal raised { File.lstat(path) }, raised { FS.stat_many([path]) }
    end
    missing = File.join(temporary_folder, "nothing")
    assert_equal raised { File.lstat(missing) }, raised { FS.stat_many([missing], vanished: :raise) }
    assert_equal raised { File.stat(missing) }, raised { FS.stat_many([missing], vanished: :raise, follow: true) }
  end

  test "folders without permission, as a user who has none" do
    skip "only root can become nobody" unless Process.uid.zero? && system("setpriv", "--version", out: File::NULL)
    folder = temporary_folder
    FileUtils.mkdir_p(
      [File.join(folder, "closed/inner"), File.join(folder, "only_listed/inner"), File.join(folder, "open")]
    )
    File.write(File.join(folder, "only_listed/file"), "")
    FileUtils.chmod(0o755, folder)
    FileUtils.chmod(0o700, File.join(folder, "closed"))
    FileUtils.chmod(0o744, File.join(folder, "only_listed"))
    assert_equal "same\n" * 6, as_nobody(<<~RUBY, folder)
      def raised = yield.then { nil } rescue [$!.class, $!.message]
      def same(a, b) = puts(a == b ? "same" : [a, b].inspect)
      closed, listed = "\#{ARGV[0]}/closed", "\#{ARGV[0]}/only_listed"
      same raised { Dir.children(closed) }, raised { FS.scan(closed) }
      same raised { Dir.children(closed) }, raised { FS.scan(ARGV[0], recursive: true, fields: [:type]) }
      same raised { File.lstat("\#{listed}/\#{Dir.children(listed)[0]}") }, raised { FS.scan(listed) }
      same Dir.children(listed).sort, FS.scan(listed, fields: [:type]).names.sort
      kept = FS.scan(ARGV[0], recursive: true, errors: :keep)
      same [nil, nil, Errno::EACCES], kept.select { |entry| entry.name.start_with?("only_listed/") }.flat_map { |entry| [entry.size, entry.error.class] }.uniq.then { |a, b| [a, a, b] }
      same %w[closed], kept.folder_errors.map { |error| error.message[/\\w+\\z/] }
    RUBY
  end

  def as_nobody(script, *arguments)
    command = [
      "setpriv",
      "--reuid=65534",
      "--regid=65534",
      "--clear-groups",
      RbConfig.ruby,
      "-W0",
      "-e",
      "require #{LIBRARY.dump}; FS = Warmstart::FileSystem\n#{script}"
    ]
    output, = Open3.capture2e(*command, *arguments)
    output
  end

  # ---- access lists ----

  test "access lists are told in getfacl's words" do
    folder = temporary_folder
    path = File.join(folder, "file")
    File.write(path, "")
    File.chmod(0o640, path)
    set_acl(path, [[1, 6, -1], [2, 4, 1000], [4, 4, -1], [16, 4, -1], [32, 0, -1]]) or skip "no access lists here"
    File.write(File.join(folder, "without"), "")
    acls = FS.scan(folder, fields: %i[acl]).to_h { |entry| [entry.name, entry.acl] }
    assert_equal({ "file" => "user::rw-,user:1000:r--,group::r--,mask::r--,other::---", "without" => nil }, acls)
    assert_equal [acls["file"]], FS.stat_many([path], fields: %i[acl]).column(:acl)
  end

  # Without setfacl: the attribute in the kernel's own form.
  def set_acl(path, entries)
    value = [2].pack("V") + entries.map { |tag, bits, id| [tag, bits, id & 0xffffffff].pack("vvV") }.join
    numbers = { "x86_64-linux" => 188, "aarch64-linux" => 5 }
    number = numbers.find { |platform, _| RUBY_PLATFORM.start_with?(platform) }&.last or return
    $VERBOSE, verbose = nil, $VERBOSE
    syscall(number, path, +"system.posix_acl_access", [value].pack("p").unpack1("J"), value.bytesize, 0).zero?
  rescue SystemCallError, NotImplementedError
    false
  ensure
    $VERBOSE = verbose
  end

  # ---- what it costs Ruby ----

  # The least of three times: Ruby makes objects of its own when a place is run for the first time.
  def allocations
    GC.disable
    Array
      .new(3) do
        before = GC.stat(:total_allocated_objects)
        yield
        GC.stat(:total_allocated_objects) - before
      end
      .min
  ensure
    GC.enable
  end

  test "a scan makes a handful of objects, a column one Array, an Entry one object" do
    folder = temporary_folder
    500.times { |i| File.write(File.join(folder, "file#{i}"), "") }
    listing = FS.scan(folder)
    2.times { [listing.names, listing.types, listing.sizes, listing.mtimes, listing.each { |entry| entry.size }] }
    assert_operator allocations { FS.scan(folder) }, :<=, 8
    assert_equal [1, 1, 1, 501],
                 [
                   allocations { listing.types },
                   allocations { listing.sizes },
                   allocations { listing.mtimes },
                   allocations { listing.names }
                 ]
    assert_equal 500, allocations { listing.each { |entry| [entry.type, entry.size] if entry.mtime.zero? } }
  end

  # ---- nothing is remembered; nothing is turned on ----

  test "who asks again gets the disk's answer" do
    folder = temporary_folder
    assert_empty FS.scan(folder).names
    path = File.join(folder, "file")
    File.write(path, "1")
    assert_equal [1], FS.scan(folder).sizes
    File.write(path, "12")
    assert_equal [2], FS.scan(folder).sizes
    assert_equal [2], FS.stat_many([path]).sizes
    File.unlink(path)
    assert_equal [nil], FS.stat_many([path]).sizes
  end

  test "to require it turns nothing on" do
    script = <<~RUBY
      before = [method(:require).owner, method(:require).source_location, RubyVM::InstructionSequence.respond_to?(:load_iseq), $LOADED_FEATURES.size]
      require ARGV[0]
      after = [method(:require).owner, method(:require).source_location, RubyVM::InstructionSequence.respond_to?(:load_iseq), $LOADED_FEATURES.size]
      p before.first(3) == after.first(3), after.last - before.last, Warmstart.respond_to?(:setup), Warmstart::FileSystem.scan("/").size > 0, Thread.list.size
    RUBY
    output, status = Open3.capture2(RbConfig.ruby, "--disable-gems", "-e", script, LIBRARY)
    assert_equal "true\n3\nfalse\ntrue\n1\n", output
    assert status.success?
  end

  # ---- threads and children ----

  test "several threads ask at once" do
    folder = odd_tree
    expected = FS.scan(folder, recursive: true).names
    results =
      Array
        .new(8) { Thread.new { Array.new(20) { FS.scan(folder, recursive: true, threads: 3).names } } }
        .flat_map(&:value)
    assert_equal [expected], results.uniq
  end

  test "a child asks for itself" do
    folder = odd_tree
    expected = FS.scan(folder, recursive: true, threads: 4).names
    reader, writer = IO.pipe
    child =
      fork do
        writer.write(Marshal.dump(FS.scan(folder, recursive: true, threads: 4).names))
        writer.close
        exit!(0)
      end
    writer.close
    assert_equal expected, Marshal.load(reader.read)
    assert Process.wait2(child).last.success?
  end

  test "a listing outlives its folder, and garbage collections" do
    folder = odd_tree
    expected = Dir.children(folder)
    entries = FS.scan(folder).to_a
    FileUtils.rm_rf(folder)
    5.times do
      GC.start
      GC.compact if GC.respond_to?(:compact)
    end
    assert_equal expected, entries.map(&:name)
  end

  test "a listing cannot be made otherwise" do
    [FS::Listing, FS::Entry].each { |part| assert_raises(TypeError) { part.new } }
  end
end
