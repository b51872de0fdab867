# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/one_standby"

# What a boot may not do, or only so that each command does it: write, share memory or a place in a file with other
# commands, ask for what the standby alone has. Each program is run by the client, and then again, when a standby waits
# or is known to be of no use; both times it has to be what plain Ruby does.
class StandbyEffectsTest < TestCase
  include OneStandby

  # Ruby itself makes none of these calls, so each is made as an extension would make it.
  FIDDLE = <<~RUBY
    S = P = Fiddle::TYPE_VOIDP
    I, L = Fiddle::TYPE_INT, Fiddle::TYPE_LONG
    DATA_FILE = File.join(__dir__, "data")
    CALL = lambda do |name, types, *arguments|
      Fiddle::Function.new(Fiddle::Handle::DEFAULT[name], types, Fiddle::TYPE_LONG).call(*arguments)
    end
    STREAM = ->(mode, path = DATA_FILE) { CALL["fopen", [S, S], path, mode] }
    CLOSE = ->(stream) { CALL["fclose", [P], stream] }
  RUBY

  # Two commands in a row may be told apart by what the first has left, so each may begin with the data anew.
  def assert_as_plain(from_standby:, data: nil, **options)
    told = @program.make(**options)
    3.times do
      hits = @program.hits
      @program.write("data", data) if data
      expected = @program.plain(**options).visible
      written = data && File.read(@program.path("data"))
      @program.write("data", data) if data
      assert_equal expected, @program.run(**options).visible
      assert_equal written, File.read(@program.path("data")) if data
      assert_equal(from_standby, @program.hits > hits, @program.status.inspect)
    end
    told
  end

  def assert_unfit(why, boot, main = MAIN, files = {}, **options)
    program(boot, main, files)
    told = assert_as_plain(from_standby: false, **options)
    assert_equal "unfit", told["state"], boot
    assert_match why, told["why"], boot
  end

  WRITING = {
    "fputc_unlocked" => "file = STREAM['a']; CALL['fputc_unlocked', [I, P], 120, file]",
    "putc_unlocked" => "file = STREAM['a']; CALL['putc_unlocked', [I, P], 120, file]",
    "_IO_putc" => "file = STREAM['a']; CALL['_IO_putc', [I, P], 120, file]",
    "putw" => "file = STREAM['a']; CALL['putw', [I, P], 120, file]",
    "fputwc" => "file = STREAM['a']; CALL['fputwc', [I, P], 120, file]",
    "fputws" => "file = STREAM['a']; CALL['fputws', [P, P], [120, 0].pack('l2'), file]",
    "fwprintf" => "file = STREAM['a']; CALL['fwprintf', [P, P], file, [120, 0].pack('l2')]",
    "__overflow" => "file = STREAM['a']; CALL['__overflow', [P, I], file, 120]",
    "fputs" => "file = STREAM['a']; CALL['fputs_unlocked', [S, P], 'text', file]",
    "fwrite" => "file = STREAM['a']; CALL['fwrite_unlocked', [S, L, L, P], 'text', 1, 4, file]",
    "fputc" => "file = CALL['fdopen', [I, S], IO.sysopen(DATA_FILE, 'a'), 'a']; CALL['fputc', [I, P], 120, file]",
    "fprintf" => "file = STREAM['r+']; CALL['fprintf', [P, S], file, 'text']",
    "freopen" => "file = CALL['freopen', [S, S, P], DATA_FILE, 'w', STREAM['r', File::NULL]]"
  }.freeze

  test "what streams of the C library write to files" do
    fiddle = "#{require_fiddle}#{FIDDLE}"
    WRITING.each do |name, code|
      program("#{fiddle}#{code}; CLOSE[file]\nX = 1\n", MAIN, "data" => "")
      @program.run
      @program.write("data", "kept")
      told = @program.settled
      assert_match(/\Aits boot calls #{name}\b/, told["why"].to_s, name)
      assert_equal "kept", File.read(@program.path("data")), name
    end
    # (What is recorded of it would be what it was on before.)
    boot =
      "#{fiddle}file = CALL['freopen', [S, S, P], DATA_FILE, 'r', STREAM['r', File::NULL]]\nX = CALL['fgetc', [P], file]\n"
    assert_unfit(/calls freopen/, boot, MAIN, { "data" => "old" })
  end

  test "a stream of the C library that is on memory, or reads" do
    program(<<~RUBY, MAIN, "data" => "text")
      #{require_fiddle}#{FIDDLE}
      file = CALL['open_memstream', [P, P], Fiddle.malloc(8), Fiddle.malloc(8)]
      CALL['fputc_unlocked', [I, P], 120, file]
      CALL['fputs', [S, P], "text", file]
      CLOSE[file]
      X = STREAM['r'].then { |file| CALL['fgetc', [P], file].tap { CLOSE[file] } }
    RUBY
    assert_as_plain(from_standby: true)
  end

  # (Flags: 1 is MAP_SHARED, 3 MAP_SHARED_VALIDATE, 0x20 MAP_ANONYMOUS. The gem raindrops maps so.)
  test "memory that the boot shares with all commands" do
    fiddle = "#{require_fiddle}#{FIDDLE}"
    main = "#{HEAD}COUNTER[0] += 1\np COUNTER[0]\n"
    map = "COUNTER = Fiddle::Pointer.new(CALL['mmap', [P, L, I, I, I, L], nil, 4096, %s, %s, %s, 0], 8)\n"
    assert_unfit(/calls mmap/, fiddle + format(map, 3, 0x21, -1), main)
    open = "FILE = File.open(DATA_FILE, 'r+')\n%sCALL['mprotect', [P, L, I], COUNTER, 4096, 3]; FILE.close\n"
    assert_unfit(
      /calls mmap/,
      fiddle + format(open, format(map, 1, 3, "FILE.fileno")),
      main,
      { "data" => "\0" * 8 },
      data: "\0" * 8
    )
    # What is private is copied, and a file that is only read is the same for all.
    program(fiddle + format(map, 3, 0x22, -1), main)
    assert_as_plain(from_standby: true)
    program("#{fiddle}File.open(DATA_FILE) { |file| #{format(map, 1, 1, "file.fileno")} }\n", <<~RUBY, "data" => "text")
      #{HEAD}p COUNTER[0]
    RUBY
    assert_as_plain(from_standby: true)
  end

  test "a place in a file that the boot shares with all commands" do
    read = "#{HEAD}p F.sysread(3)\n"
    files = { "data" => "onetwo\n", "d/a" => "" }
    open = ->(arguments) { "F = File.open(File.join(__dir__, 'data'), #{arguments})\n" }
    assert_unfit(/leaves .*data.* open at .*foo.rb:1/, open["'a+'"], read, files)
    copies = "#{HEAD}p F.sysread(3), G.sysread(3)\n"
    assert_unfit(/leaves .*data.* open/, "#{open["'r'"]}G = F.dup\n", copies, files)
    # Each command opens these again. (What is opened twice has two places.)
    ["'r'", "File::RDONLY | File::NOFOLLOW", "File::RDONLY | File::NOATIME | File::NONBLOCK"].each do |arguments|
      program("#{open[arguments]}F.sysread(1)\n", read, files)
      assert_as_plain(from_standby: true)
    end
    program("#{open["'r'"]}G#{open["'r'"]}".sub("GF", "G"), copies, files)
    assert_as_plain(from_standby: true)
    program("D = Dir.open(File.join(__dir__, 'd'))\n", "#{HEAD}p D.each.to_a.sort\n", files)
    assert_as_plain(from_standby: true)
    # (The rest is read before it is rewound: on ext4 that was empty.)
    rewound = "#{HEAD}X = []\nX << 1 while D.read\nD.rewind\np X.size, D.children.sort\n"
    program("D = Dir.open(File.join(__dir__, 'd'))\nD.read\n", rewound, files)
    assert_as_plain(from_standby: true)
  end

  test "a lock, a position and flags of a file that the boot has open to append to it" do
    files = { "data" => "" }
    open = "F = File.open(File.join(__dir__, 'data'), 'a')\n"
    # Each lock ends with the command that took it, so the next one takes it, too.
    lock = "#{HEAD}p F.flock(File::LOCK_EX | File::LOCK_NB)\n"
    program(open, lock, files)
    assert_as_plain(from_standby: true)
    assert File.open(@program.path("data")) { |file| file.flock(File::LOCK_EX | File::LOCK_NB) }
    program("F = File.open(File::NULL, 'w')\n", lock)
    assert_as_plain(from_standby: true)
    # Two commands at once exclude each other.
    program(open, "#{lock}$stdout.flush\nsleep 1 if ARGV.any?\n", files)
    @program.make(@program.path("foo"), "first")
    told =
      Array.new(2) do |number|
        Thread.new do
          sleep(0.3 * number)
          @program.run(@program.path("foo"), "first").stdout
        end
      end
    assert_equal %W[0\n false\n], told.map(&:value).sort
    assert_equal 2, @program.hits, @program.status.inspect
    main = "#{HEAD}require 'io/nonblock'\np F.pos, F.nonblock?\nF.nonblock = true\nF.puts 'x'\nF.flush\np F.pos\n"
    program("#{open}G = F.dup\n", "#{main}p G.pos, G.close_on_exec?, F.close_on_exec?\n", files)
    assert_as_plain(from_standby: true, data: "")
    # (What the boot has appended moves the position of the handle that was written to, and of no other.)
    program(<<~RUBY, "#{main}p G.pos\n", files)
      3.times { File.write(File.join(__dir__, 'data'), "line\\n", mode: 'a') }
      #{open.chomp}
      G#{open.chomp[1..]}
      F.syswrite("one\\n")
      G.syswrite("two\\n")
      F.close_on_exec = false
    RUBY
    assert_as_plain(from_standby: true, data: "")
    assert_unfit(/calls flock/, "#{open}F.flock(File::LOCK_SH)\n", lock, files)
  end

  test "what a boot appends before it becomes another program" do
    wrap = "File.write(File.join(__dir__, 'data'), \"line\\n\", mode: 'a')\nexec #{RbConfig.ruby.inspect}, *ARGV\n"
    program("X = 1\n", MAIN, "data" => "", "wrap.rb" => wrap)
    command = [RbConfig.ruby, "--disable-gems", @program.path("wrap.rb"), "--disable-gems", @program.path("foo")]
    assert_match(/calls exec after it has appended/, @program.make(*command)["why"])
    @program.write("data", "")
    assert_equal @program.plain(*command).visible, @program.run(*command).visible
    assert_equal "line\n" * 2, File.read(@program.path("data"))
  end

  # (The limit is of the kind that a full disk is, and needs no rights to set.)
  test "a log that cannot grow any more" do
    program(<<~RUBY, MAIN, "data" => "")
      trap(:XFSZ, "IGNORE")
      X = begin File.open(File.join(__dir__, 'data'), 'a') { |file| file.syswrite("line\\n") }; rescue SystemCallError; $!.class; end
    RUBY
    limit = 80 << 20
    told = @program.make(rlimit_fsize: limit)
    assert_equal "waits", told["state"], told["why"]
    [limit - 5, limit - 4, limit].each do |size|
      grow = -> { File.truncate(@program.path("data"), size) }
      grow.call
      expected = @program.plain(rlimit_fsize: limit).visible
      grow.call
      hits = @program.hits
      assert_equal expected, @program.run(rlimit_fsize: limit).visible
      assert_equal size == limit - 5, @program.hits > hits
      @program.settled
    end
  end

  test "what was put back into a file, and a flush of the program's own" do
    open = "F = File.open(File.join(__dir__, 'data'))\n"
    program("#{open}F.getc\nF.ungetc('Z')\n", "#{HEAD}p F.read\n", "data" => "text")
    assert_as_plain(from_standby: true)
    program("$stdin.ungetc('Z')\n", "#{HEAD}p $stdin.read\n")
    assert_as_plain(from_standby: true, stdin: "text")
    boot =
      "class Own < File; def flush = ($flushes = $flushes.to_i + 1; super); end\n#{open.sub("File.open", "Own.open")}"
    program(boot, "#{HEAD}p $flushes\n", "data" => "text")
    assert_as_plain(from_standby: true)
  end

  # (What it appends, each command writes. So the file does not hold it yet.)
  test "a boot that reads what it has appended" do
    log = "DATA = File.join(__dir__, 'data')\nFile.write(DATA, \"line\\n\", mode: 'a')\n"
    {
      "#{log}X = File.readlines(DATA).size\n" => "open for .*data",
      "#{log}X = File.open(DATA, 'a+') { |file| file.size }\n" => "open for .*data",
      "#{log}X = File.open(DATA, 'a') { |file| file.pos }\n" => "lseek",
      "#{log}X = File.open(DATA, 'a') { |file| file.seek(0, IO::SEEK_END); file.pos }\n" => "lseek",
      "DATA = File.open(File.join(__dir__, 'data'))\n#{log.lines.last.sub("DATA", "DATA.path")}X = DATA.read\n" =>
        "write"
    }.each { |boot, why| assert_unfit(/calls #{why}/, boot, MAIN, { "data" => "" }, data: "") }
  end

  test "a boot that reads a file, and closes it, and then writes to a log and opens it for that again" do
    program(<<~RUBY, MAIN, "data" => "", "d/other" => "text")
      X = File.open(File.join(__dir__, 'd/other')) { |file| [file.seek(1), file.read] }
      2.times { File.write(File.join(__dir__, 'data'), "line\\n", mode: 'a') }
      X << File.open(File.join(__dir__, 'd/other')) { |file| file.seek(1) }
    RUBY
    assert_as_plain(from_standby: true, data: "")
  end

  test "how a standard descriptor is open, and whether it can be synchronized" do
    assert_unfit(/calls fcntl/, "require 'fcntl'\nX = $stdout.fcntl(Fcntl::F_GETFL) & 3\n")
    assert_unfit(
      /calls fcntl/,
      "OUT = IO.for_fd(1, autoclose: false)\n",
      "#{HEAD}begin; OUT.read(1); rescue IOError, SystemCallError; p $!.class; end\n"
    )
    assert_unfit(/calls fsync/, "X = begin $stdout.fsync; rescue SystemCallError; $!.class; end\n")
    assert_unfit(/calls fdatasync/, "X = begin $stderr.fdatasync; rescue SystemCallError; $!.class; end\n")
    program(<<~RUBY, MAIN, "data" => "")
      require 'fcntl'
      X = File.open(File.join(__dir__, 'data'), 'a') { |file| [file.fcntl(Fcntl::F_GETFL) & 3, file.fsync] }
      X << $stdout.fcntl(Fcntl::F_GETFD)
    RUBY
    assert_as_plain(from_standby: true)
  end

  test "questions whose answer is an error, for ever" do
    [
      "X = File.exist?('')\n",
      "X = begin File.open(File.join(__dir__, 'data'), File::CREAT | File::EXCL | File::WRONLY); rescue Errno::EEXIST; 1; end\n",
      "X = begin File.open(__dir__, 'w'); rescue Errno::EISDIR; 1; end\n"
    ].each do |boot|
      program(boot, MAIN, "data" => "")
      assert_as_plain(from_standby: true)
    end
  end

  test "variables are in the order in which plain Ruby has them" do
    given = { "W_ONE" => "1", "W_TWO" => "2", "W_THREE" => "3" }
    [
      "ENV['W_TWO'] = ENV.delete('W_TWO')",
      "ENV['W_FOUR'] = '4'; ENV['W_ONE'] = ENV.delete('W_ONE'); ENV['W_TWO'] = 'other'",
      "ENV['W_FOUR'] = '4'; ENV['W_THREE'] = ENV.delete('W_THREE'); ENV.delete('W_TWO')",
      "ENV.replace(ENV.to_h.sort.reverse.to_h)"
    ].each do |boot|
      program("#{boot}\nX = 1\n", "#{HEAD}puts ENV.select { |name, _| name.start_with?('W_') }.inspect\n")
      assert_as_plain(from_standby: true, env: given)
    end
  end

  test "a descriptor that only the client has" do
    boot = "X = begin; IO.for_fd(20, autoclose: false).stat.ftype; rescue SystemCallError; $!.class; end\n"
    assert_unfit(/calls fcntl/, boot)
    fiddle = "#{require_fiddle}#{FIDDLE}"
    {
      "fstat" => "require 'socket'; X = begin BasicSocket.for_fd(20).class; rescue SystemCallError; 1; end",
      "read" => "CALL['read', [I, P, L], 20, Fiddle.malloc(9), 2]",
      "write" => "CALL['write', [I, P, L], 20, Fiddle.malloc(9), 2]",
      "lseek" => "CALL['lseek', [I, L, I], 20, 0, 1]",
      "dup" => "CALL['dup', [I], 20]",
      "dup2" => "CALL['dup2', [I, I], 20, 21]",
      "poll" => "CALL['poll', [P, L, I], Fiddle::Pointer[[20, 1, 0].pack('lss')], 1, 0]",
      "getsockname" => "CALL['getsockname', [I, P, P], 20, nil, nil]"
    }.each { |name, code| assert_unfit(/calls #{name}\b/, "#{fiddle}#{code}\nX = 1\n") }
  end

  test "a question about an empty path is no question about a folder" do
    asks = %w[File.readlink('') File.realpath('') File.stat('').size File.open('').read]
    asks.each do |ask|
      program("X = begin; #{ask}; rescue SystemCallError; $!.class; end\n")
      assert_as_plain(from_standby: true)
    end
  end
end
