# frozen_string_literal: true

require "pty"
require_relative "test_helper"
require_relative "support/one_standby"

# What a boot has asked in a way, or of a file system, that makes it hard to see that the answer is another one now. Each
# program is run by the client; then something changes, and the next command has to be what plain Ruby does.
class StandbyFreshnessTest < TestCase
  include OneStandby

  def assert_not_stale(boot, files: {}, main: MAIN, **options)
    program(boot, main, files)
    state = @program.make(**options)["state"]
    before = @program.plain(**options).visible
    yield @program
    expected = @program.plain(**options).visible
    refute_equal before, expected, "nothing has changed"
    3.times { assert_equal expected, @program.run(**options).visible, boot }
    state
  end

  # A file of one zone without changes (tzfile(5)).
  def zone(hours)
    ["TZif", "", 0, 0, 0, 0, 1, 4, hours * 3600, 0, 0, "FOO\0"].pack("a4a16N6l>CCa4")
  end

  test "the files of a time zone that is set for a while, of an empty one, and of one without rules" do
    {
      "Foo" => "ENV['TZ'] = 'Foo'; X = Time.at(0).to_s; ENV['TZ'] = 'UTC'",
      "Bar" => "ENV.update('TZ' => 'Bar'); X = Time.at(0).to_s; ENV.delete('TZ')",
      "Universal" => "ENV['TZ'] = ''; X = Time.at(0).to_s; ENV['TZ'] = 'UTC'"
    }.each do |name, boot|
      environment = { "TZ" => "UTC", "TZDIR" => temporary_folder }
      File.binwrite(File.join(environment["TZDIR"], name), zone(9))
      state =
        assert_not_stale(boot, env: environment) do
          path = File.join(environment["TZDIR"], name)
          File.binwrite("#{path}.new", zone(2))
          File.rename("#{path}.new", path)
        end
      assert_equal "waits", state, name
    end
    inputs = @program.execute([StandbyProgram::CLIENT, "--inputs"], @program.environment).stdout
    assert_includes inputs, "/posixrules"
  end

  test "files that are reached by way of a process" do
    [
      "/proc/self/cwd",
      "/proc/thread-self/cwd",
      "/proc/self/root/proc/self/cwd",
      "/proc/\#{$$}/task/\#{$$}/cwd"
    ].each do |cwd|
      [
        "X = File.read(\"#{cwd}/text\")",
        "X = File.stat(\"#{cwd}/text\").size",
        "load \"#{cwd}/text\"; X = T",
        "X = Dir.children(\"#{cwd}/folder\")",
        "X = File.exist?(\"#{cwd}/folder/new\")"
      ].each do |boot|
        state =
          assert_not_stale(boot, files: { "text" => "T = 1", "folder/old" => "" }) do |changed|
            changed.write("text", "T = 123")
            changed.write("folder/new", "")
          end
        assert_equal "waits", state, boot
      end
    end
  end

  test "the client's descriptors, by their names" do
    %w[/proc/self/fd/0 /dev/fd/0 /dev/stdin /proc/thread-self/fd/0 /proc/#{$$}/fd/0].each do |path|
      program(
        "X = [File.pipe?(\"#{path}\"), (File.size(\"#{path}\") if File.file?(\"#{path}\"))]\n",
        MAIN,
        "text" => "123"
      )
      @program.make
      from_file = ["sh", "-c", "\"$@\" < text", "-"]
      plain = @program.environment.reject { |name, _| name.match?(/WARMSTART|RUBYOPT/) }
      expected = @program.execute([*from_file, @program.path("foo")], plain).visible
      assert_equal "[false, 3]\n", expected.first
      3.times do
        found = @program.execute([*from_file, StandbyProgram::CLIENT, "--", @program.path("foo")], @program.environment)
        assert_equal expected, found.visible, path
      end
      assert_equal @program.plain.visible, @program.run.visible
    end
    ["File.read(\"/proc/\#{$$}/fd/0\")", "File.read('/proc/thread-self/fd/0')"].each do |boot|
      program("X = #{boot}\n")
      assert_match(/calls open for/, @program.make(stdin: "one")["why"])
      assert_equal ["\"two\"\n", "", 0], @program.run(stdin: "two").visible
    end
  end

  test "a file whose whole path is too long" do
    deep = "d" * 200
    write =
      lambda do |text|
        code = "22.times { Dir.mkdir(ARGV[0]) rescue 0; Dir.chdir(ARGV[0]) }; File.write('text', ARGV[1])"
        assert system(RbConfig.ruby, "--disable-gems", "-e", code, deep, text, chdir: @program.folder)
      end
    program("22.times { Dir.chdir(#{deep.dump}) }\nX = File.read('text')\n")
    write.("one")
    assert_equal "its boot asks too much", @program.make["why"]
    write.("two")
    assert_equal "\"two\"\n", @program.run.stdout
  ensure
    system("rm", "-r", File.join(@program.folder, deep)) if @program # (FileUtils goes by whole paths)
  end

  # (The tests' own terminals come and go in this folder, and its times stay what they were.)
  test "names in a folder whose times stand still" do
    skip "there is no /dev/pts" unless File.directory?("/dev/pts")
    PTY.open do |_, one|
      free = one.path[/\d+/].to_i + 1
      free += 1 while File.exist?("/dev/pts/#{free}")
      [
        "X = Dir.children('/dev/pts').sort",
        "X = [File.exist?('/dev/pts/#{free}')] + (1..9).map { |i| File.exist?(\"/dev/pts/x\#{i}\") }"
      ].each do |boot|
        opened = []
        assert_not_stale(boot) { opened.concat(PTY.open) until File.exist?("/dev/pts/#{free}") }
      ensure
        opened&.each(&:close)
      end
    end
  end

  # What the kernel answers, and is asked, is this program's choice.
  ASKED = <<~C
    #include <stdarg.h>
    #include <stdio.h>
    #include <sys/syscall.h>
    #include <sys/vfs.h>
    #include "trace.h"
    static long type, synchronised;
    long syscall(long number, ...)
    {
        va_list list;
        va_start(list, number);
        long one = va_arg(list, long), two = va_arg(list, long), flags = va_arg(list, long);
        va_end(list);
        (void)one;
        if (number == SYS_statx) synchronised = flags & 0x2000; /* AT_STATX_FORCE_SYNC */
        if (number == SYS_statfs) ((struct statfs *)two)->f_type = type;
        return 0;
    }
    int main(void)
    {
        ws_asked asked = { 0 };
        ws_asked_fill(&asked, 0, "", 0);
        static const long TYPES[] = { 0xEF53, 0x65735546, 0x1CD1, 0x4d44 };
        printf("%d", synchronised != 0);
        for (int i = 0; i < 4; i++) {
            type = TYPES[i];
            printf(" %d", ws_folder_times_tell("/"));
        }
        static const int64_t S = 1000000000, AGO[] = { 10000000, 30000000, 1990000000, 2030000000 };
        for (int i = 0; i < 4; i++) printf(" %d%d", ws_is_settled(9 * S, 9 * S + AGO[i]), ws_is_settled(9 * S + 1, 9 * S + 1 + AGO[i]));
        return 0;
    }
  C

  # - The kernel keeps what it knows of a file on a network, or of a server in user space (FUSE), for a while.
  # - A file system in user space, of terminals, or FAT: only the first one's folders have times that tell.
  # - Times of whole seconds: what was changed in the same second may be changed again.
  test "file systems of other kinds" do
    folder = temporary_folder
    File.write(File.join(folder, "asked.c"), ASKED)
    source = File.join(Program::REPOSITORY, "ext/warmstart_standby")
    command = [
      *RbConfig::CONFIG["CC"].split,
      "-D_GNU_SOURCE",
      "-I#{source}",
      "-o",
      "asked",
      "asked.c",
      "#{source}/trace_entry.c"
    ]
    assert system(*command, chdir: folder)
    assert_equal "1 1 0 0 0 00 01 01 11", IO.popen(File.join(folder, "asked"), &:read)
  end

  test "a disk that is read" do
    disk = Dir["/dev/{loop0,vda,sda,nvme0n1}"].find { |path| File.readable?(path) } or skip "no disk may be read"
    program("X = File.open(#{disk.dump}) { |io| io.pread(1, 0).size }\n")
    assert_match(/calls open for/, @program.make["why"])
  end

  # A lock of the process that calls the client, which the command would hold.
  test "a lock by fcntl that is taken before the client is called" do
    held = "File.readlines('/proc/locks').count { |line| line.include?(\":\#{File.stat(path).ino} \") }"
    program("X = 1\n", "#{HEAD}path = File.join(__dir__, 'lock')\np #{held}\n", "lock" => "")
    lock =
      ["fcntl(6, [1, 0, 0, 0, 0].pack('ssx4qqix4'))", "flock(2)"].map do |how|
        "file = File.open(ARGV.shift, 'r+'); file.#{how}; file.close_on_exec = false; exec(*ARGV)"
      end
    lock.each do |code|
      locked = [RbConfig.ruby, "--disable-gems", "-e", code, @program.path("lock")]
      plain = @program.environment.reject { |name, _| name.match?(/WARMSTART|RUBYOPT/) }
      expected = @program.execute([*locked, @program.path("foo")], plain).visible
      assert_equal ["1\n", "", 0], expected
      3.times do
        found = @program.execute([*locked, StandbyProgram::CLIENT, "--", @program.path("foo")], @program.environment)
        assert_equal expected, found.visible
        sleep 0.3
      end
    end
    assert_operator @program.hits, :>, 0, "a lock by flock is the descriptor's, and is no obstacle"
  end

  test "priorities that only a class of scheduling has" do
    commands = %w[5 50].map { |priority| ["chrt", "-r", priority] } << %w[chrt -R -r 5]
    program("X = 1\n", "#{HEAD}puts `chrt -p \#{$$}`.gsub(/\\d+/, '')\n")
    plain = @program.environment.reject { |name, _| name.match?(/WARMSTART|RUBYOPT/) }
    commands.each do |command|
      expected = @program.execute([*command, @program.path("foo")], plain).visible
      skip "this user may not choose it" unless expected.last == 0
      3.times do
        found = @program.execute([*command, StandbyProgram::CLIENT, "--", @program.path("foo")], @program.environment)
        assert_equal expected, found.visible
        sleep 0.2
      end
    end
  end
end
