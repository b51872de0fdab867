# frozen_string_literal: true

require "etc"
require_relative "support/image_bytes"
require_relative "test_helper"

# Broken images and hostile surroundings: the program behaves as in plain Ruby, nothing stale is served, and the next boot
# heals what can be healed, in silence; where somebody has to do something, stderr gets one line.
class InvalidationTest < TestCase
  FILES = {
    "a.rb" => "class A; def m = [:a, __FILE__, __LINE__]; end\nrequire 'b'\n",
    "b.rb" => "B = %w[b] * 20\ndef b = B.map(&:upcase)\n",
    "c.rb" => (1..60).map { |i| "def c#{i}(x) = [x, #{i}, 'text #{i}']\n" }.join,
    "main.rb" => "require 'a'\nrequire 'c'\np A.new.m.first, b.size, c60(1), Witness.features\n"
  }.freeze
  ALL = %w[a.rb b.rb c.rb].freeze

  def warm_program(files = FILES, **options)
    program = program(files, **options)
    program.boot
    assert_equal files.keys.grep_v(/main|Gemfile/).sort, program.boot.hits
    program
  end

  # complaint: what the one line must match; nil: there may be one.
  def assert_same_but_for_a_line(plain, run, complaint: nil, ends: "exit 0")
    assert_operator run.complaints.size, :<=, 1, run.stderr
    assert_same_run plain, run.without_complaints, ends: ends
    assert_match complaint, run.complaints.join if complaint
    run
  end

  # A kernel that tells of b.rb what it once knew, unless it is to ask the file system.
  KNOWN = <<~C
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <fcntl.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/stat.h>
    #include <unistd.h>
    int statx(int folder, const char *path, int flags, unsigned mask, struct statx *data)
    {
        int (*real)(int, const char *, int, unsigned, struct statx *) = (int (*)(int, const char *, int, unsigned, struct statx *))dlsym(RTLD_NEXT, "statx");
        int result = real(folder, path, flags, mask, data);
        const char *wanted = getenv("KNOWN_OF"), *end = strrchr(path, '/');
        if (result != 0 || !wanted || !end || strcmp(end, "/b.rb") != 0) return result;
        int fd = open(wanted, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (flags & AT_STATX_FORCE_SYNC || read(fd, data, sizeof *data) == 0) result = pwrite(fd, data, sizeof *data, 0) > 0 ? 0 : -1;
        close(fd);
        return result;
    }
  C

  test "a file on another machine is changed there, and the kernel tells what it knew" do
    skip "nothing is preloaded but by Linux's linker" unless RUBY_PLATFORM.include?("linux")
    folder = temporary_folder
    File.write(File.join(folder, "known.c"), KNOWN)
    command = [*RbConfig::CONFIG["CC"].split, "-shared", "-fPIC", "-o", "known.so", "known.c"]
    assert system(*command, chdir: folder)
    known = { "LD_PRELOAD" => File.join(folder, "known.so"), "KNOWN_OF" => File.join(folder, "known") }
    program = program(FILES, env: known)
    3.times { program.boot }
    assert_equal ALL, program.boot.hits
    assert_path_exists known["KNOWN_OF"]
    program.write("b.rb", "B = %w[new] * 21\ndef b = B.map(&:upcase)\n")
    assert_same_boots program, 2
  end

  # Boots, does the damage, boots: as plain Ruby; then two boots more, the last of which has everything from the image
  # again.
  # complaint: what the one line must match; where the image heals: what the log must
  def assert_recovers(program = warm_program, complaint: nil, heals: true, hits: ALL)
    plain = program.plain
    yield program
    run = program.boot(env: complaint && heals ? { "WARMSTART_LOG" => "1" } : {})
    if complaint && heals
      assert_same_run plain, run.without_complaints
      assert_match complaint, run.complaints.join("\n")
    else
      assert_same_but_for_a_line(plain, run, complaint: complaint)
    end
    second = assert_same_but_for_a_line(plain, program.boot)
    return run unless heals

    assert_empty second.complaints, "the boot after"
    assert_equal hits, program.boot.hits, "the second boot after"
    run
  end

  # ---- the image's files ----

  test "what the boot makes anew it makes anew in silence; who makes nothing anew is told to" do
    [
      ->(program) { File.truncate(program.segments.first, 100) },
      ->(program) { damage_payload(program, "text 7") },
      ->(program) { program.manifests.each { |path| File.binwrite(path, "junk") } }
    ].each do |damage|
      program = warm_program
      damage.call(program)
      run = program.boot(env: { "WARMSTART_READONLY" => "1" })
      assert_equal 1, run.complaints.size, run.stderr
      assert_match(/\Awarmstart: build the image again(?:, or remove .+)?: /, run.complaints.first)
      2.times { assert_same_run program.plain, program.boot }
      assert_equal ALL, program.boot.hits
    end
  end

  test "an image truncated to any length" do
    [0, 1, 100, 700, 0.5, -1].each do |length| # (a Float: a share, a negative number: so much less)
      assert_recovers(complaint: /unexpected end|checksum/) do |program|
        segment = program.segments.first
        size = File.size(segment)
        File.truncate(segment, length.is_a?(Float) ? (size * length).to_i : length % size)
      end
    end
  end

  # Flips a bit of each payload that holds the text.
  def damage_payload(program, text)
    program.segments.each do |path|
      bytes = File.binread(path)
      at = bytes.rindex(text.b) or next
      File.binwrite(path, (bytes.getbyte(at) ^ 1).chr, at)
    end
  end

  [
    ["directly", []],
    ["natively", ["WARMSTART_DIRECT"]],
    ["without the search", %w[WARMSTART_SEARCH WARMSTART_DIRECT]]
  ].each do |way, off|
    test "a damaged payload is mended by the boot that finds it, loaded #{way}" do
      program = warm_program(FILES, env: off.to_h { |name| [name, "0"] })
      run =
        assert_recovers(program, complaint: /it is damaged \(checksum\) at .*c\.rb, whose file is compiled as usual/) do
          damage_payload(program, "text 7")
        end
      assert_equal %w[a.rb b.rb], run.hits
    end
  end

  test "a damaged payload of a file whose times have changed, too" do
    program = warm_program
    assert_recovers(program, complaint: /damaged/) do
      damage_payload(program, "text 7")
      program.set_times("c.rb", Time.now - 5000)
      program.age
    end
  end

  test "a damaged payload of a document is mended by the boot that finds it" do
    program =
      warm_program(
        FILES.merge(
          "d.yml" => "needle: in a haystack\n",
          "main.rb" => "require 'yaml'\nrequire 'a'\nrequire 'c'\np YAML.load_file(\"\#{__dir__}/d.yml\")\n"
        )
      )
    run =
      assert_recovers(
        program,
        complaint: /damaged \(checksum\) at .*d\.yml, whose file is parsed as usual/,
        hits: [*ALL, "d.yml"]
      ) { damage_payload(program, "in a haystack") }
    assert_equal ALL, run.hits
  end

  test "a payload that Ruby refuses is mended by the boot that finds it" do
    program = warm_program
    run =
      assert_recovers(program) do
        path = program.segments.find { |segment| File.binread(segment).include?("text 7") }
        bytes = File.binread(path)
        bytes.setbyte(bytes.rindex("YARB", bytes.index("text 7")), 0)
        File.binwrite(path, ImageBytes.reseal_payloads(bytes))
        id = path[/-(\h{16})\.segment/, 1]
        program.manifests.each do |manifest|
          File.binwrite(manifest, ImageBytes.manifest_with(File.binread(manifest), id, bytes))
        end
      end
    assert_equal %w[a.rb b.rb], run.hits
  end

  test "an image with bytes at its end" do
    assert_recovers(complaint: /./) { |program| File.open(program.segments.first, "a") { |file| file.write("more") } }
  end

  test "an image truncated while it is mapped" do
    [0, 700, 4096].each do |length|
      program = program(FILES.merge("main.rb" => <<~'RUBY'))
        require "b"
        Dir["#{ENV["CACHE"]}/*/*.segment"].each { |path| File.truncate(path, LENGTH) }
        require "a"
        require "c"
        p A.new.m.first, b.size, c60(1), Witness.features
      RUBY
      program.write("main.rb", File.read(program.path("main.rb")).sub("LENGTH", length.to_s))
      2.times { program.boot }
      plain = program.plain(env: { "CACHE" => program.cache })
      2.times { assert_same_but_for_a_line plain, program.boot(env: { "CACHE" => program.cache }) }
    end
  end

  test "a bit flipped anywhere is noticed when the image is opened or before the entry is used" do
    require_relative "../lib/warmstart"
    program = warm_program
    path = program.segments.first
    key = File.basename(program.manifests.first, ".manifest")
    bytes = File.binread(path)
    random = Random.new(1)
    offsets =
      (0...bytes.size).step([bytes.size / 600, 1].max).map { |offset| [offset + random.rand(8), bytes.size - 1].min }
    unnoticed =
      offsets.reject do |offset|
        File.binwrite(path, (bytes.getbyte(offset) ^ (1 << random.rand(8))).chr, offset)
        image = Warmstart::Native::Image.open(program.image_folder, key, nil, nil)
        noticed = image.is_a?(Array) || image.entries.any? { |entry| image.verify(entry[:path]) }
        File.binwrite(path, bytes[offset], offset)
        noticed
      end
    assert_operator offsets.size, :>, 500
    assert_empty unnoticed
    assert_kind_of Warmstart::Native::Image, Warmstart::Native::Image.open(program.image_folder, key, nil, nil)
  end

  test "programs boot on flipped bits" do
    program = warm_program
    plain = program.plain
    path = program.segments.first
    bytes = File.binread(path)
    random = Random.new(2)
    24.times do |n|
      offset = bytes.size * n / 24 + random.rand(bytes.size / 24)
      program.manifests.each do |manifest|
        File.exist?("#{manifest}.kept") || FileUtils.cp(manifest, "#{manifest}.kept")
      end
      FileUtils.cp("#{program.manifests.first}.kept", program.manifests.first)
      File.binwrite(path, bytes)
      File.binwrite(path, (bytes.getbyte(offset) ^ (1 << random.rand(8))).chr, offset)
      assert_same_but_for_a_line plain, program.boot(env: { "WARMSTART_READONLY" => "1" })
    end
  end

  test "a manifest that is empty, cut, changed, or nonsense" do
    assert_recovers(complaint: /./) { |program| File.truncate(program.manifests.first, 0) }
    assert_recovers(complaint: /./) { |program| File.truncate(program.manifests.first, 40) }
    assert_recovers(complaint: /./) do |program|
      File.binwrite(program.manifests.first, File.read(program.manifests.first).sub(/generation \d+/, "generation 99"))
    end
    assert_recovers(complaint: /./) { |program| File.binwrite(program.manifests.first, "\0" * 5000) }
    assert_recovers(complaint: /./) do |program|
      File.binwrite(program.manifests.first, File.read(program.manifests.first).sub("manifest 1", "manifest 9"))
    end
  end

  test "a segment that is gone" do
    assert_recovers { |program| File.unlink(program.segments.first) }
  end

  test "a segment of another format" do
    assert_recovers(complaint: /./) { |program| File.binwrite(program.segments.first, [9].pack("L"), 8) }
  end

  test "the image of another key under our name" do
    program = warm_program
    3.times { program.boot(args: ["--enable=frozen-string-literal"]) }
    assert_equal 2, program.manifests.size
    ours, other = program.manifests.sort_by { |path| File.mtime(path) }.map { |path| File.basename(path, ".manifest") }
    assert_recovers(program, complaint: /./) do
      Dir[File.join(program.image_folder, "#{ours}*")].each { |path| File.unlink(path) }
      Dir[File.join(program.image_folder, "#{other}*")].each { |path| File.rename(path, path.sub(other, ours)) }
    end
  end

  test "folders, FIFOs and symlinks in place of the image's files" do
    %i[manifests segments].each do |kind|
      assert_recovers(heals: kind == :segments) { |program| replace(program, kind) { |path| Dir.mkdir(path) } }
      assert_recovers { |program| replace(program, kind) { |path| File.mkfifo(path, 0o600) } }
      assert_recovers(
        complaint: /^warmstart: remove (.*): wrong type of file at \1; Ruby starts as usual$/
      ) do |program|
        replace(program, kind) do |path, content|
          File.write("#{path}.real", content, perm: 0o600)
          File.symlink("#{path}.real", path)
        end
      end
    end
  end

  test "the image's folder is a symlink" do
    assert_recovers(
      complaint: /\Awarmstart: remove (.*): wrong type of file at \1; Ruby starts as usual\z/,
      heals: false
    ) do |program|
      folder = program.image_folder
      File.rename(folder, "#{program.base}/moved")
      File.symlink("#{program.base}/moved", folder)
    end
  end

  test "an image that others may write" do
    line = /\Awarmstart: chmod go-w (.*): group or others may write \1; Ruby starts as usual\z/
    [
      [0o666, ->(program) { program.segments.first }],
      [0o620, ->(program) { program.manifests.first }],
      [0o777, :image_folder.to_proc]
    ].each do |mode, path|
      program = warm_program
      run = assert_recovers(program, complaint: line, heals: false) { File.chmod(mode, path.call(program)) }
      assert system(run.complaints.first[/chmod.*?(?=: )/]), "it says what to type"
      assert_equal ALL, program.boot.hits
    end
  end

  test "an image of another user" do
    skip "only root can give files away" unless Process.uid.zero?
    %i[segments manifests].each do |kind|
      assert_recovers(
        complaint: /\Awarmstart: chown or remove (.*): another user owns \1; Ruby starts as usual\z/,
        heals: false
      ) { |program| File.chown(12_345, nil, program.public_send(kind).first) }
    end
    # (A whole folder of another user's is nothing that this one could mend: nothing is said.)
    program = warm_program
    File.chown(12_345, nil, program.image_folder)
    2.times { assert_same_run program.plain, program.boot }
    assert_empty program.boot.hits
    assert_match(/no boot image in .*: another user owns /, program.boot(env: { "WARMSTART_LOG" => "1" }).stderr)
  end

  test "an image that cannot be read" do
    %i[segments manifests image_folder].each do |kind|
      program = program(FILES)
      program.as_nobody
      2.times { program.boot }
      assert_recovers(program, heals: false) { File.chmod(0o000, Array(program.public_send(kind)).first) }
      File.chmod(0o700, program.image_folder || Dir["#{program.cache}/*"].first)
    end
  end

  test "an image in an application's folder is used only when its own code asked" do
    files = FILES.merge("Gemfile" => "", "asks.rb" => "require #{Program::SETUP.inspect}\nload 'main.rb'\n")
    program = program(files, main: "asks.rb", env: { "WARMSTART_CACHE_DIR" => nil })
    2.times { program.plain }
    image = File.join(program.folder, "tmp/cache/warmstart")
    refute_empty Dir["#{image}/*.manifest"]

    arguments = ["-I", program.folder, "-r", File.join(Program::SUPPORT, "witness.rb"), "-r", Program::SETUP]
    code =
      "$stderr.puts Warmstart.session.directory, Warmstart::Native.counts[:hit]; load 'main.rb'; $stderr.puts Warmstart::Native.counts[:hit]"
    [["-e", code], ["-C", File.dirname(program.folder), "-e", code], ["-W0", "-rset", "-e", code]].each do |rest|
      home = temporary_folder
      env = { "WITNESS_APPLICATION" => program.folder, "HOME" => home, "LOCALAPPDATA" => home }
      run = program.ruby(*arguments, *rest, env: env)
      assert_equal "exit 0", run.status, run.stderr
      directory, before, after = run.stderr.lines(chomp: true)
      refute directory.start_with?(program.folder), directory
      assert_equal before, after, "nothing comes from the image in the folder"
    end
  end

  # ---- the cache folder ----

  test "a cache folder deep in folders that do not exist, with odd names" do
    program = program(FILES)
    env = { "WARMSTART_CACHE_DIR" => "#{program.base}/not/there yet/é'\"" }
    plain = program.plain
    assert_same_run plain, program.boot(env: env)
    assert_equal ALL, program.boot(env: env).hits
  end

  test "a file in place of the cache folder" do
    program = program(FILES)
    file = File.join(program.base, "file")
    File.write(file, "")
    2.times { assert_same_but_for_a_line program.plain, program.boot(env: { "WARMSTART_CACHE_DIR" => file }) }
  end

  test "a cache folder that cannot be written" do
    program = program(FILES)
    program.as_nobody
    File.chmod(0o555, program.cache)
    2.times { assert_same_run program.plain, program.boot }
    assert_match(
      /cannot mkdir .*: Permission denied; nothing was recorded/,
      program.boot(env: { "WARMSTART_LOG" => "1" }).stderr
    )
    2.times { assert_same_run program.plain, program.boot(env: { "WARMSTART_READONLY" => "1" }) }
  end

  test "a full disk" do
    program = program(FILES.merge("c.rb" => (1..3000).map { |i| "def c#{i}(x) = [x, #{i}, 'text #{i}']\n" }.join))
    on_small_disk(program.cache) do
      2.times { assert_same_but_for_a_line program.plain, program.boot, complaint: /space|full/i }
    end
  end

  test "the cache folder is removed during the boot" do
    program = program(FILES.merge("main.rb" => <<~'RUBY'))
      require "b"
      require "fileutils"
      FileUtils.rm_rf(Dir["#{ENV["CACHE"]}/*"])
      require "a"
      require "c"
      p b.size, Witness.features
    RUBY
    env = { "CACHE" => program.cache }
    plain = program.plain(env: env)
    4.times { assert_same_but_for_a_line plain, program.boot(env: env) }
  end

  test "no HOME, an empty one, one that is not absolute, one that is not there" do
    [nil, "", "relative", "/nowhere/at/all", "/dev/null"].each do |home|
      program = program(FILES)
      env = { "HOME" => home, "WARMSTART_CACHE_DIR" => nil }
      program.as_nobody if home.to_s.start_with?("/nowhere")
      2.times { assert_same_but_for_a_line program.plain(env: env), program.boot(env: env) }
      refute_path_exists program.path("relative")
    end
  end

  # ---- processes ----

  MANY =
    150
      .times
      .to_h { |i| ["m#{i}.rb", (1..20).map { |n| "def m#{i}_#{n}(x) = [x, #{n}, 'text #{i} #{n}']\n" }.join] }
      .merge("main.rb" => "150.times { |i| require \"m\#{i}\" }\np $LOADED_FEATURES.grep(/m\\d+.rb/).size\n")
      .freeze

  test "kill -9 at any moment" do
    program = program(MANY, args: %w[--disable-gems], witness: false)
    plain = program.plain
    program.age
    command = [
      { "WARMSTART_CACHE_DIR" => program.cache },
      RbConfig.ruby,
      "--disable-gems",
      "-I",
      program.folder,
      "-r",
      Program::SETUP,
      program.path("main.rb")
    ]
    20.times do |n|
      pid = Process.spawn(*command, out: File::NULL, err: File::NULL)
      sleep 0.03 + n * 0.006
      Process.kill(:KILL, pid)
      Process.wait(pid)
    end
    3.times { assert_same_run plain, program.boot }
    assert_same_run plain, program.boot(env: { "WARMSTART_READONLY" => "1" })
    refute_empty program.manifests
  end

  test "fifty first boots at once" do
    program =
      program(FILES.merge("main.rb" => "require 'a'\nrequire 'c'\np b.size, c60(1)\n"), args: %w[--disable-gems])
    program.age
    plain = program.plain
    command = [
      { "WARMSTART_CACHE_DIR" => program.cache },
      RbConfig.ruby,
      "--disable-gems",
      "-I",
      program.folder,
      "-r",
      Program::SETUP,
      program.path("main.rb")
    ]
    outputs = Array.new(50) { |n| File.join(program.base, "output#{n}") }
    pids = outputs.map { |output| Process.spawn(*command, %i[out err] => output) }
    statuses = pids.map { |pid| Process.wait2(pid).last }
    assert_equal [0], statuses.map(&:exitstatus).uniq
    assert_equal [plain.stdout], outputs.map { |output| File.read(output) }.uniq
    program.boot
    run = program.boot
    assert_same_run plain, run
    assert_equal ALL, run.hits
  end

  # ---- source files ----

  # Two boots, then a change of a.rb, then two boots that must be as plain Ruby is then.
  def assert_follows(files = FILES, nobody: false, ends: "exit 0")
    program = program(files)
    program.as_nobody if nobody
    assert_same_boots program, 2
    yield program, program.path("a.rb")
    plain = program.plain
    3.times { assert_same_but_for_a_line plain, program.boot, ends: ends }
    program
  end

  test "a source file is deleted" do
    assert_follows(ends: "exit 1") { |_, path| File.unlink(path) }
  end

  test "a source file is emptied" do
    assert_follows(ends: "exit 1") { |_, path| File.truncate(path, 0) }
  end

  test "a source file becomes a folder, a dangling symlink, a symlink to itself" do
    assert_follows(ends: "exit 1") do |_, path|
      File.unlink(path)
      Dir.mkdir(path)
    end
    assert_follows(ends: "exit 1") do |_, path|
      File.unlink(path)
      File.symlink("nowhere", path)
    end
    assert_follows(ends: "exit 1") do |_, path|
      File.unlink(path)
      File.symlink(path, path)
    end
  end

  test "a source file becomes a FIFO" do
    main = <<~RUBY
      require #{File.join(Program::SUPPORT, "feeder.rb").dump}
      path = "\#{__dir__}/a.rb"
      File.pipe?(path) ? Feeder.feed(path, "puts :fifo\n") { require "a" } : require("a")
      p Witness.features
    RUBY
    assert_follows(FILES.merge("main.rb" => main)) do |_, path|
      File.unlink(path)
      File.mkfifo(path)
    end
  end

  test "a source file cannot be read any more" do
    assert_follows(nobody: true, ends: "exit 1") { |_, path| File.chmod(0o000, path) }
  end

  test "a source file cannot be read, and a later folder has another" do
    files =
      FILES.merge(
        "later/a.rb" => "puts :later\nclass A; def m = [1]; end\ndef b = []\n",
        "main.rb" => "$LOAD_PATH.push(\"\#{__dir__}/later\")\n#{FILES["main.rb"]}"
      )
    assert_follows(files, nobody: true) { |_, path| File.chmod(0o000, path) }
    assert_follows(files) { |_, path| File.unlink(path) }
  end

  test "a source file's folder cannot be entered" do
    files =
      FILES.merge(
        "sub/d.rb" => "puts :d\n",
        "main.rb" => "p begin; require('sub/d'); rescue LoadError; $!.message; end\n#{FILES["main.rb"]}"
      )
    assert_follows(files, nobody: true) { |program| File.chmod(0o000, program.path("sub")) }.then do |program|
      File.chmod(0o700, program.path("sub"))
    end
  end

  test "a source file is edited" do
    assert_follows { |program| program.write("a.rb", "puts :edited\n#{FILES["a.rb"]}") }
  end

  test "a source file is edited without a change of its size, and its times are set back" do
    assert_follows do |program, path|
      stat = File.stat(path)
      program.write("a.rb", FILES["a.rb"].sub(":a", ":z"))
      File.utime(stat.atime, stat.mtime, path)
    end
  end

  test "a source file is replaced by rename, with the same size and mtime" do
    assert_follows do |program, path|
      stat = File.stat(path)
      File.write("#{path}.new", FILES["a.rb"].sub(":a", ":z"))
      File.utime(stat.atime, stat.mtime, "#{path}.new")
      File.rename("#{path}.new", path)
      program.age
    end
  end

  test "a source file's times jump back and forth" do
    [Time.at(0), Time.now - 86_400, Time.now + 86_400, Time.at(2**33)].each do |time|
      assert_follows { |_, path| File.utime(time, time, path) }
      assert_follows do |program, path|
        program.write("a.rb", "puts :then\n#{FILES["a.rb"]}")
        File.utime(time, time, path)
      end
    end
  end

  test "a source file is touched: the same content is not compiled again" do
    program = warm_program
    plain = program.plain
    File.utime(Time.now - 5, Time.now - 5, program.path("a.rb"))
    run = program.boot
    assert_same_run plain, run
    assert_equal %w[a.rb], run.files("revalidated")
    program.age
    assert_equal ALL, [program.boot, program.boot].last.hits
  end

  test "without revalidation a touched file is compiled again" do
    program = warm_program
    File.utime(Time.now - 5, Time.now - 5, program.path("a.rb"))
    assert_equal %w[a.rb], program.boot(env: { "WARMSTART_REVALIDATE" => "0" }).files("stale")
  end

  test "a source file is edited again and again, faster than the clock" do
    program = program(FILES)
    plain_of = ->(n) { FILES["a.rb"].sub(":a", ":n#{n % 10}") }
    12.times do |n|
      program.write("a.rb", plain_of[n])
      program.instance_variable_set(:@young, false) # no ageing: the run begins at once
      run = program.boot
      assert_includes run.stdout, ":n#{n % 10}\n"
    end
  end

  test "a source file is edited during the boot, before it is required" do
    main =
      "require 'b'\nFile.write(\"\#{__dir__}/a.rb\", File.read(\"\#{__dir__}/a.rb\").sub(/:[a-y]/) { |s| s.succ })\nrequire 'a'\np A.new.m.first\n"
    program = program(FILES.merge("main.rb" => main))
    (:b..:h).each { |letter| assert_equal "#{letter.inspect}\n", program.boot.stdout.lines.last }
  end

  test "a source file is edited right after it was required" do
    main =
      "require 'a'\np A.new.m.first\nFile.write(\"\#{__dir__}/a.rb\", File.read(\"\#{__dir__}/a.rb\").sub(/:[a-y]/) { |s| s.succ })\n"
    program = program(FILES.merge("main.rb" => main))
    (:a..:h).each { |letter| assert_equal "#{letter.inspect}\n", program.boot.stdout.lines.last }
  end

  test "a source file is edited while it is being evaluated" do
    a =
      "File.write(__FILE__, File.read(__FILE__).sub(/VERSION = (\\d)/) { \"VERSION = \#{$1.to_i + 1}\" })\nVERSION = 1\n"
    program = program({ "a.rb" => a, "main.rb" => "require 'a'\np VERSION\n" })
    (1..7).each { |version| assert_equal "#{version}\n", program.boot.stdout }
  end

  test "a source file is replaced by another process while the boot records it" do
    program = program({ "a.rb" => "A = 0\nsleep 0.02\n", "main.rb" => "require 'a'\np A\n" }, args: %w[--disable-gems])
    stop = false
    value = 0
    editor =
      Thread.new do
        until stop
          value = (value + 1) % 10
          File.write(program.path("a.new"), "A = #{value}\nsleep 0.02\n")
          File.rename(program.path("a.new"), program.path("a.rb"))
          sleep 0.007
        end
      end
    10.times { program.boot }
    stop = true
    editor.join
    3.times { assert_equal "#{value}\n", program.boot.stdout }
  end

  test "a fresh clone: every file has new times, inodes and the same content" do
    program = warm_program
    plain = program.plain
    ALL.each do |name|
      FileUtils.cp(program.path(name), program.path("#{name}.new"))
      File.rename(program.path("#{name}.new"), program.path(name))
    end
    sleep 0.05
    run = program.boot
    assert_same_run plain, run
    assert_equal ALL, run.files("revalidated")
    assert_equal ALL, program.boot.hits
  end

  # An application of many files. If CHANGE is set it does what is given before it requires them. Under Warmstart it tells
  # how many contents threads have read ahead, and how many of these were used.
  def large(code = "")
    files =
      COPIED.times.to_h do |i|
        [
          "many/file#{i}.rb",
          "FILE#{i} = #{i}\n#{"# a comment that nobody reads\n" * 100}def file#{i} = [FILE#{i}, __FILE__, __LINE__]\n"
        ]
      end
    warm_program(files.merge("main.rb" => <<~RUBY))
      if ENV["CHANGE"]
        #{code}
      end
      #{COPIED}.times { |i| require "many/file\#{i}" }
      puts #{COPIED}.times.map { |i| send("file\#{i}").inspect }
      $stderr.puts "AHEAD \#{Warmstart::Native.ahead_counts.values_at(:read, :same).join(" ")}" if defined?(Warmstart)
    RUBY
  end

  COPIED = 300
  CHANGE = { "CHANGE" => "1" }.freeze

  # Replaces the application's folder by a copy, whose files have other times and inodes.
  def copy_folder(program)
    FileUtils.cp_r(program.folder, "#{program.folder}.new")
    yield "#{program.folder}.new" if block_given?
    FileUtils.rm_rf(program.folder)
    File.rename("#{program.folder}.new", program.folder)
    program.instance_variable_set(:@young, true)
  end

  # [the boot, files that threads read, how many of these were used]
  def boot_ahead(program, env = {})
    run = program.boot(env: env)
    told = run.stderr[/^AHEAD (.*)$/, 1] or flunk run.stderr
    run.stderr = run.stderr.sub(/^AHEAD .*\n/, "")
    [run, *told.split.map(&:to_i)]
  end

  def ahead_or_skip
    skip "threads have descriptors of their own on Linux only" unless RUBY_PLATFORM.include?("linux")
    skip "there is one processor" if Etc.nprocessors < 2
    skip "the kernel has no close_range" if (Etc.uname[:release].split(".").map(&:to_i) <=> [5, 9]).negative?
  end

  test "a copied folder: threads compare the contents ahead of use, and the next boot compares nothing" do
    ahead_or_skip
    program = large
    plain = program.plain
    copy_folder(program)
    run, read, same = boot_ahead(program)
    assert_same_run plain, run
    assert_equal COPIED, run.files("revalidated").size
    assert_operator same, :>, COPIED / 2, "of #{read} that were read"
    assert_operator read, :<=, COPIED
    run, read, = boot_ahead(program)
    assert_same_run plain, run
    assert_equal [COPIED, 0], [run.hits.size, read]
  end

  test "a copied folder in which some files are others: their new code runs" do
    ahead_or_skip
    program = large
    copy_folder(program) do |folder|
      [20, 150, 299].each do |i|
        path = File.join(folder, "many/file#{i}.rb")
        File.write(path, File.read(path).sub("= #{i}\n", "= #{i.to_s.tr("0-9", "1-90")}\n"))
      end
      File.write(File.join(folder, "many/file200.rb"), "def file200 = :another\n")
    end
    plain = program.plain
    assert_includes plain.stdout, ":another"
    run, _, same = boot_ahead(program)
    assert_same_run plain, run
    assert_equal [COPIED - 4, 4], %w[revalidated stale].map { |event| run.files(event).size }
    assert_operator same, :>, COPIED / 2
  end

  # Each change keeps the file's size, and some its mtime.
  {
    "written to" => "File.write(path, new)",
    "written to, with the same mtime" => "time = File.mtime(path); File.write(path, new); File.utime(time, time, path)",
    "replaced, with the same mtime" =>
      "File.write(other, new); File.utime(File.mtime(path), File.mtime(path), other); File.rename(other, path)",
    "replaced by a link" => "File.write(other, new); File.unlink(path); File.symlink(other, path)"
  }.each do |how, change|
    test "a copied folder in which files are #{how} after threads have read them" do
      ahead_or_skip
      program = large(<<~RUBY)
        20.times { |i| require "many/file\#{i}" }
        sleep 0.1
        (20...100).step(20) do |i|
          path = "\#{__dir__}/many/file\#{i}.rb"
          other = path + ".new"
          new = File.read(path).sub("= \#{i}", "= \#{i + 1}")
          #{change}
        end
      RUBY
      copy_folder(program)
      backup = "#{program.folder}.backup"
      FileUtils.cp_r(program.folder, backup)
      plain = program.plain(env: CHANGE)
      copy_folder(program) do |folder|
        FileUtils.rm_rf(File.join(folder, "many"))
        FileUtils.cp_r(File.join(backup, "many"), folder)
      end
      run, read, = boot_ahead(program, CHANGE)
      assert_equal plain.stdout, run.stdout
      assert_equal plain.status, run.status
      assert_operator read, :>, 80
    end
  end

  test "a copied folder: a child compares its files itself" do
    ahead_or_skip
    program = large(<<~RUBY)
      30.times { |i| require "many/file\#{i}" }
      Process.wait(fork { 200.times { |i| require "many/file\#{i}" }; exit!(defined?(FILE199) ? 0 : 1) })
      puts $?.success?
    RUBY
    copy_folder(program)
    plain = program.plain(env: CHANGE)
    assert_equal "true\n", plain.stdout.lines.first
    run, = boot_ahead(program, CHANGE)
    assert_same_run plain, run
  end

  test "comparing ahead of use can be turned off, and needs more than a few files" do
    program = large
    copy_folder(program)
    assert_equal [0, 0], boot_ahead(program, "WARMSTART_AHEAD" => "0").drop(1)
    program = large
    7.times { |i| File.utime(Time.now - 5, Time.now - 5, program.path("many/file#{i}.rb")) }
    assert_equal [0, 0], boot_ahead(program).drop(1)
  end

  private

  def replace(program, kind)
    path = program.public_send(kind).first
    content = File.binread(path)
    File.unlink(path)
    yield path, content
  end

  # A require asks for the file's metadata; when it then finds nothing to load, nobody else may go by them.
  { "native" => "0", "direct" => "1" }.each do |way, direct|
    test "a file that is written and loaded after a require that had nothing to do, the #{way} way" do
      files = { "real/a.rb" => "puts :one\n", "link" => :real, "main.rb" => <<~'RUBY' }
                  path = "#{__dir__}/link/a.rb"
                  require path
                  require path
                  exit if ENV["FIRST"]
                  File.write(path, "puts :two, 2\n")
                  load path
                RUBY

      program = program(files, witness: false, env: { "WARMSTART_DIRECT" => direct })
      2.times { program.boot(env: { "FIRST" => "1" }) }
      assert_equal "one\ntwo\n2\n", program.boot.stdout
    end
  end

  test "a file that a process may no longer read after it gave up its privileges" do
    skip "needs root" unless Process.uid.zero?
    program = program({ "a.rb" => "A = 1\n", "main.rb" => <<~RUBY }, witness: false)
      if ENV["FIRST"]
        require "a"
      else
        Process::Sys.setgid(65_534)
        Process::Sys.setuid(65_534)
        begin; p require("a"); rescue LoadError => error; p error.class; end
      end
    RUBY

    File.chmod(0o755, program.base)
    File.chmod(0o600, program.path("a.rb"))
    2.times { program.boot(env: { "FIRST" => "1" }) }
    assert_equal program.plain.stdout, program.boot.stdout
  end

  test "files that root may not read, because it has not all capabilities" do
    skip "needs root" unless Process.uid.zero? && system(*Program::CAPABLE_OF_LITTLE, "true", %i[out err] => File::NULL)
    main = <<~RUBY
      require "psych"
      %w[a b c].each do |name|
        p require(name)
      rescue LoadError => error
        puts error.message
      end
      %w[a b c].each do |name|
        p Psych.load_file(File.join(__dir__, "\#{name}.yml"))
      rescue SystemCallError => error
        puts error.message
      end
    RUBY
    names = %w[a b c]
    files = names.to_h { |name| ["#{name}.rb", "#{name.upcase} = 1\n"] }
    documents = names.to_h { |name| ["#{name}.yml", "- #{name}\n"] }
    program = program({ **files, **documents, "main.rb" => main }, witness: false)
    # b may be read by its group, which root is in, and c by nobody but its owner.
    { "b" => [0, 0o640], "c" => [nil, 0o600] }.each do |name, (group, mode)|
      paths = [program.path("#{name}.rb"), program.path("#{name}.yml")]
      File.chown(Program::NOBODY, group, *paths)
      File.chmod(mode, *paths)
    end
    plain = program.plain(prefix: Program::CAPABLE_OF_LITTLE)
    assert_match(/cannot load such file -- c/, plain.stdout)
    assert_match(/Permission denied/, plain.stdout)
    2.times { assert_same_boots program, 1 }
    2.times { assert_same_run plain, program.boot(prefix: Program::CAPABLE_OF_LITTLE) }
  end

  # The mode of such a file lets everybody in, and its list keeps a group out that the process may have joined since.
  test "files whose access list keeps the process out" do
    group = 12_345
    member = ["setpriv", "--reuid=#{Program::NOBODY}", "--regid=#{Program::NOBODY}", "--groups=#{group}"]
    skip "needs root" unless Process.uid.zero? && system(*member, "true", %i[out err] => File::NULL)
    main = <<~RUBY
      require "psych"
      begin; p require("a"); rescue LoadError => error; puts error.message; end
      begin; p Psych.load_file(File.join(__dir__, "a.yml")); rescue SystemCallError => error; puts error.message; end
    RUBY
    program = program({ "a.rb" => "A = 1\n", "a.yml" => "- a\n", "main.rb" => main }, witness: false)
    listed = [program.path("a.rb"), program.path("a.yml")]
    program.as_nobody
    File.chown(0, 0, *listed)
    missing "there is no setfacl" unless system("setfacl", "--version", %i[out err] => File::NULL)
    unless system("setfacl", "--modify", "group:#{group}:---", *listed, %i[out err] => File::NULL)
      skip "this file system has no access lists"
    end
    plain = program.plain(prefix: member)
    assert_match(/cannot load such file -- a\n.*Permission denied/m, plain.stdout)
    2.times { assert_same_boots program, 1 }
    2.times { assert_same_run plain, program.boot(prefix: member) }
  end
end
