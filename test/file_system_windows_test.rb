# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/windows_extension"

# Warmstart::FileSystem on Windows, or under Wine: the same script as anywhere, beside Ruby's own answers. Where this is
# another system's Ruby, a Ruby for Windows runs it; skipped where there is none.
class FileSystemWindowsTest < TestCase
  SCRIPT = <<~'RUBY'
    FS = Warmstart::FileSystem
    TREE = File.join(ARGV[0], "tree")
    ["", "/folder", "/folder/deep", "/folder/deep/er", "/empty"].each { |name| Dir.mkdir(TREE + name) }
    NAMES = ["plain.rb", ".hidden", "with space", "caf\u00e9", "\u4e2d\u{1f600}", "x" * 200, "CAPITAL.TXT"]
    ["", "/folder/deep"].each do |folder|
      NAMES.each_with_index do |name, i|
        path = "#{TREE}#{folder}/#{name}"
        File.binwrite(path, "x" * i)
        File.utime(i, Time.at(1_000_000_000 + i, 123_456_700 + 100 * i, :nsec), path)
      end
    end
    File.chmod(0o444, "#{TREE}/plain.rb")
    def nanoseconds(time) = time.to_i * 1_000_000_000 + time.nsec
    def raised
      yield
      nil
    rescue StandardError
      [$!.class, $!.message, $!.message.encoding]
    end
    def same(what, a, b) = puts("#{what}: #{a == b ? "same" : [a, b].inspect}")

    listing = FS.scan(TREE, fields: %i[type size mtime inode mode links])
    same "names", listing.names.sort, Dir.children(TREE).sort
    same "encodings", listing.names.map(&:encoding).uniq, Dir.children(TREE).map(&:encoding).uniq
    facts = listing.to_h { |entry| [entry.name, [entry.type, entry.size, entry.mtime, entry.inode, entry.mode, entry.links]] }
    stats = Dir.children(TREE).to_h do |name|
      stat = File.lstat("#{TREE}/#{name}")
      [name, [stat.ftype.to_sym, stat.size, nanoseconds(stat.mtime), stat.ino, stat.mode, stat.nlink]]
    end
    same "facts", facts, stats
    below = Dir.glob("**/*", File::FNM_DOTMATCH, base: TREE).reject { |name| name.split("/").last == "." }
    same "tree", FS.scan(TREE, recursive: true).names.sort, below.sort
    same "tree, threads", FS.scan(TREE, recursive: true, threads: 4).names, FS.scan(TREE, recursive: true, threads: 1).names
    same "block", FS.scan(TREE) { |folder| folder.basename == "folder" }.names.sort, below.reject { |name| name.start_with?("folder/deep/") }.sort

    paths = NAMES.map { |name| "#{TREE}/#{name}" }
    same "list", FS.stat_many(paths).zip_facts, paths.map { |path| [File.lstat(path).size, nanoseconds(File.lstat(path).mtime)] }
    same "list, with handles", FS.stat_many(paths, fields: %i[inode links], threads: 3).column(:inode), paths.map { |path| File.stat(path).ino }
    same "list, threads", FS.stat_many(paths * 50, threads: 4).sizes, (0...NAMES.size).to_a * 50
    missing = ["#{TREE}/nothing", "#{TREE}/plain.rb/below", ""]
    same "missing", FS.stat_many(missing).types, [nil, nil, nil]
    same "missing, error", [FS.stat_many(missing)[0].error.class, FS.stat_many(missing)[0].error.message], raised { File.lstat(missing[0]) }.first(2)
    same "no folder", raised { FS.scan(missing[0]) }, raised { Dir.children(missing[0]) }
    same "a file", raised { FS.scan(paths[0]) }, raised { Dir.children(paths[0]) }
    same "NUL", raised { FS.scan("a\0b") }, raised { Dir.children("a\0b") }

    long = TREE + "/long" + "/a_name_that_is_rather_long" * 12
    Dir.mkdir("#{TREE}/long")
    made = begin
      (1..12).each { |i| Dir.mkdir("#{TREE}/long" + "/a_name_that_is_rather_long" * i) }
    rescue SystemCallError
      nil
    end
    same "long paths", FS.scan("#{TREE}/long", recursive: true).size, made ? 12 : Dir.glob("#{TREE}/long/**/*").size

    entry = FS.scan(TREE, fields: %i[owner acl]).find { |one| one.name == "plain.rb" }
    same "owner", [entry.owner, entry.group].grep(/\AS-1-\d+(-\d+)+\z/).size, 2
    same "acl", entry.acl[0, 2], "D:"
    same "device", FS.scan(TREE, fields: %i[device]).column(:device).uniq.size, 1
    same "interrupt", raised { Thread.new { Thread.current.report_on_exception = false; Thread.current.raise(IOError, "enough"); FS.scan(TREE) }.value }.first(2), [IOError, "enough"]
  RUBY

  HELP = "class Warmstart::FileSystem::Listing\n  def zip_facts = sizes.zip(mtimes)\nend\n"

  # The script's output, by this Ruby.
  def run_here
    library = File.join(Program::REPOSITORY, "lib/warmstart/file_system")
    program = program({ "main.rb" => "require #{library.dump}\n#{HELP}#{SCRIPT}" }, witness: false)
    run = program.plain(arguments: [program.folder])
    assert_equal ["", "exit 0"], [run.stderr, run.status]
    run.stdout
  end

  # The same by the other Ruby, with an extension that is built for it.
  def run_by_other
    skip "there is no Ruby for Windows here" unless WindowsExtension.available?
    extension = WindowsExtension.new(temporary_folder)
    assert_empty extension.complaints.lines.grep(/file_system/)
    extension.run(HELP + SCRIPT)
  end

  test "all answers are those of Ruby" do
    lines = (Program::WINDOWS ? run_here : run_by_other).lines(chomp: true)
    assert_equal 19, lines.size
    assert_empty lines.grep_v(/: same\z/)
  end
end
