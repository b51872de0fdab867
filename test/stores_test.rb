# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/command"
require_relative "support/store"

# `warmstart push`, `pull`, `prune` and `key new`, with a store in a folder: what travels, what is believed, what stays
# whole. test/web_stores_test.rb has web servers.
class StoresTest < TestCase
  include Command
  include StoreCases

  # ---- there and back ----

  test "what is pushed is pulled byte by byte into a folder that the environment names, and the first boot is warm" do
    app = recorded
    assert_match(
      /\Apushed shop \h{16}-\h{16} to #{store(app)}: sent .*, (\d+) of \1 pieces of .*B\n\z/,
      push(app).stdout
    )
    pushed = image_bytes(app.cache)
    other = elsewhere(app)
    run = pull(other)
    assert_match(/\Apulled shop \h{16}-\h{16} from .*: got .*, (\d+) of \1 pieces of .*B\n\z/, run.stdout)
    assert_equal pushed, image_bytes(other.cache)
    modes =
      %w[* */*].map { |names| Dir[File.join(other.cache, names)].map { |path| File.stat(path).mode & 0o777 }.uniq }
    assert_equal [[0o700], [0o600]], modes unless Program::WINDOWS
    assert_equal [], Dir.children(other.cache).grep(/\A\./)
    run, events = boot(other, env: cache(other))
    assert_equal [["hit"], 3], [events.values.uniq, events.size], run.stderr
    assert_equal "this image is here already: #{Dir[File.join(other.cache, "*")].first}\n", pull(other).stdout
  end

  test "in an application's folder and at another path it is adopted: the secret's check holds, the code has the new path" do
    app = recorded
    push(app)
    copy = other_path(app)
    [{ "WARMSTART_CACHE_DIR" => nil }, cache(copy)].each do |env|
      run = pull(copy, env: env)
      assert_match(/\Apulled and adopted shop /, run.stdout, run.stderr)
      assert_exit 0, warmstart(copy, "verify", env: env)
      run, events = boot(copy, env: env.compact)
      assert_equal [["hit"], "ab\n"], [events.values.uniq, run.stdout]
      assert_match(/\Aa newer image is here, and stays: /, pull(copy, env: env).stdout)
    end
    # an image that is here, and older, is brought up to date
    copy = other_path(app)
    copy.write("lib/a.rb", "A = 'older'\n")
    sleep Program::AGEING
    2.times { boot(copy, env: cache(copy)) }
    copy.write("lib/a.rb", FILES.fetch("lib/a.rb"))
    sleep Program::AGEING
    Dir[File.join(copy.cache, "*/*.manifest")].each { |path| File.utime(Time.at(0), Time.at(0), path) }
    assert_match(/\Apulled and adopted shop /, pull(copy).stdout)
    run, events = boot(copy, env: cache(copy))
    assert_equal [["hit"], "ab\n"], [events.values.uniq, run.stdout]
    assert_exit 0, warmstart(copy, "verify", env: cache(copy))
  end

  test "only what changed since is sent and fetched; a gem's pieces are shared between applications" do
    app = recorded
    first = json(push(app, "--json"))
    assert_equal first["pieces"], first["sent_pieces"]
    assert_equal 0, json(push(app, "--json"))["sent_pieces"]
    shop = elsewhere(app)
    pull(shop)
    app.write("lib/a.rb", "A = 'changed'\n")
    sleep Program::AGEING
    boot(app, env: cache(app))
    again = json(push(app, "--json"))
    assert_operator again["pieces"], :>, again["sent_pieces"]
    assert_equal again["sent_pieces"], json(pull(shop, "--json"))["fetched_pieces"]
    # (another application, at another path, that loads the same gem, has its own files and tables)
    other = application(GEM_FILES.merge("lib/a.rb" => "A = 'of another'\n", "gems" => gem_folder(app).to_sym))
    2.times { boot(other, env: cache(other)) }
    counts = json(push(other, "--json", "--application", "blog", to: store(app)))
    assert_operator counts["sent_pieces"], :<, counts["pieces"]
    assert_operator shared_names(app), :>=, 1
  end

  test "without an image for the bundle the nearest one is pulled: that with most gems in common, and of those the newest" do
    app = recorded
    { "1" => %w[rack-1 rake-1], "2" => %w[rack-2 rake-2 json-2], "3" => %w[rack-2 rake-2 yaml-3] }.each do |name, gems|
      lock(app, gems)
      app.write("lib/a.rb", "A = 'bundle #{name}'\n")
      sleep Program::AGEING
      boot(app, env: cache(app))
      push(app)
    end
    other = elsewhere(app)
    lock(other, %w[rack-2 rake-2 other-1])
    run = pull(other)
    assert_match(/, of another bundle with 2 gems in common from /, run.stdout)
    other.write("lib/a.rb", "A = 'bundle 3'\n")
    sleep Program::AGEING
    assert_equal "revalidated", boot(other, env: cache(other)).last["lib/a.rb"]
  end

  test "gems of git and of paths count as any other" do
    app = recorded
    app.write("Gemfile.lock", <<~LOCK)
      GIT
        remote: https://example.com/thing.git
        revision: 0123456789abcdef0123456789abcdef01234567
        specs:
          thing (1.0)

      PATH
        remote: engines/shop_core
        specs:
          shop_core (0.1)
            rack (>= 2)

      GEM
        remote: https://rubygems.org/
        specs:
          rack (3.1.8)

      PLATFORMS
        ruby
    LOCK
    push(app)
    assert_equal %w[rack-3.1.8 shop_core-0.1 thing-1.0], facts_of(lists(app).first)["gems"]
    other = elsewhere(app)
    lock(other, %w[thing-1.0])
    assert_match(/of another bundle with 1 gems? in common/, pull(other).stdout)
  end

  test "a newer image that is here stays, an older one is replaced while it is in use, and an older push is only older" do
    app = recorded
    push(app)
    old = File.binread(Dir[File.join(store(app), "images/*/shop/*")].grep_v(/index/).first)
    other = elsewhere(app)
    boot(other, env: cache(other))
    mine = image_bytes(other.cache)
    assert_match(/\Aa newer image is here, and stays: /, pull(other).stdout)
    assert_equal mine, image_bytes(other.cache)
    Dir[File.join(other.cache, "*/*.manifest")].each { |path| File.utime(Time.at(0), Time.at(0), path) }
    reader = Dir[File.join(other.cache, "*/*.segment")].map { |path| File.open(path, "rb") }
    assert_match(/\Apulled shop /, pull(other).stdout)
    reader.each { |file| assert_equal File.size(file.path), file.read.size, "a reader loses its segment" }
    assert_exit 0, warmstart(other, "verify", env: cache(other))
    app.write("lib/a.rb", "A = 'newer'\n")
    sleep Program::AGEING
    boot(app, env: cache(app))
    push(app)
    File.binwrite(Dir[File.join(store(app), "images/*/shop/*")].grep_v(/index/).first, old)
    third = elsewhere(app)
    assert_match(/\Apulled shop /, pull(third).stdout)
    run, events = boot(third, env: cache(third))
    assert_equal %w[newerb hit stale], [run.stdout.chomp, *events.values_at("lib/deep/b.rb", "lib/a.rb")]
  end

  test "a sealed image is pulled to the same path, readable by all, and refused at another" do
    app = application
    run = warmstart(app, "build", "--all", "--seal", "--quiet", env: cache(app))
    assert_equal ["exit 0", ""], [run.status, said_by_build(run)]
    push(app)
    other = elsewhere(app)
    pull(other)
    assert_match(/^mode +sealed/, warmstart(other, "status", env: cache(other)).stdout)
    assert_equal [0o644],
                 Dir[File.join(other.cache, "*/*.{manifest,segment}")].map { |path| File.stat(path).mode & 0o777 }.uniq
    run = pull(other_path(app), status: 1)
    assert_complaint(/the image cannot be used here: .*\n\z/, run)
  end

  # ---- whole, whatever happens ----

  test "a push that stops at any write leaves the store as it was for whoever pulls" do
    files = { "k.manifest" => "one", "k-1.record" => "r" * 1000 }
    memory = MemoryStore.new
    send_image(memory, files)
    changed = { "k.manifest" => "two", "k-1.record" => "s" * 1000 }
    memory.writes = 0
    send_image(memory.dup_files, changed).then { |result| assert_equal 2, result.sent_pieces }
    4.times do |count|
      broken = memory.dup_files
      broken.fails_after = count
      assert_raises(Warmstart::Stores::Trouble) { send_image(broken, changed) }
      broken.fails_after = nil
      expected = count < 3 ? files : changed
      assert_equal expected.values.sort, fetched(broken).values.sort, "after #{count} writes"
    end
  end

  test "pushes at once, and pulls meanwhile, are all right" do
    app = recorded
    push(app)
    apps = Array.new(4) { |number| elsewhere(app).tap { |other| boot(other, env: cache(other)) if number.odd? } }
    runs = apps.map.with_index { |other, number| Thread.new { number.odd? ? push(other) : pull(other) } }.map(&:value)
    assert_equal ["exit 0"], runs.map(&:status).uniq
    pull(last = elsewhere(app))
    assert_exit 0, warmstart(last, "verify", env: cache(last))
    assert_equal [], Dir.glob("**/.*.temporary", base: store(app))
  end

  test "a full disk ends a push or a pull with one line, and leaves the store and the folder as they were" do
    app = recorded
    push(app)
    small = temporary_folder
    on_small_disk(small, kilobytes: 24) do
      run = push(app, to: File.join(small, "store"), status: 1)
      assert_complaint(/\Awarmstart: cannot write .*: No space left on device\n\z/, run)
      assert_equal [], Dir.glob("images/**/*", base: File.join(small, "store")).grep(/\h{16}\z/)
      FileUtils.rm_rf(File.join(small, "store"))
      run = pull(app, env: { "WARMSTART_CACHE_DIR" => small }, status: 1)
      assert_complaint(/\Awarmstart: cannot write the image: No space left on device\n\z/, run)
      assert_equal [], Dir.glob("**/*", base: small)
      assert_equal "ab\n", boot(app, env: { "WARMSTART_CACHE_DIR" => small }).first.stdout
    end
  end

  test "a key that a full disk has no room for leaves no file that would be in the way" do
    small = temporary_folder
    on_small_disk(small, kilobytes: 4) do
      File.write(File.join(small, "fill"), "x" * 4096)
      run = warmstart(application, "key", "new", File.join(small, "key"))
      assert_complaint(/\Awarmstart: cannot write .*: No space left on device\n\z/, run)
      assert_equal ["fill"], Dir.children(small)
    end
  end

  test "prune removes nothing where it may not see which images there are" do
    skip "needs root to become another user" unless Process.uid.zero? && !Program::WINDOWS

    app = recorded
    push(app)
    File.chmod(0o755, app.base)
    pieces = Dir.glob("#{store(app)}/pieces/**/*").select { |path| File.file?(path) }
    pieces.each { |path| File.utime(0, 0, path) }
    FileUtils.chmod_R(0o777, File.join(store(app), "pieces"))
    File.chmod(0o700, File.join(store(app), "images"))
    command = [RbConfig.ruby, File.join(Program::REPOSITORY, "exe/warmstart"), "prune", store(app)]
    run =
      app.execute(
        ["setpriv", "--reuid=#{Program::NOBODY}", "--clear-groups", *command],
        env: {
          "PATH" => ENV["PATH"]
        },
        chdir: "/"
      )
    assert_equal ["exit 1", "warmstart: cannot list #{store(app)}: Permission denied\n"], [run.status, run.stderr]
    assert_equal pieces, pieces.select { |path| File.file?(path) }
  end

  test "prune removes by age and size, then pieces that nothing names, but none of the last hour" do
    app = recorded
    lists =
      %w[1 2 3].flat_map do |name|
        before = lists(app)
        lock(app, ["rack-#{name}"])
        app.write("lib/a.rb", "A = 'bundle #{name}'\n")
        sleep Program::AGEING
        boot(app, env: cache(app))
        push(app)
        lists(app) - before
      end
    age_files(Dir[File.join(store(app), "pieces/*/*")], days: 3)
    lists.each_with_index { |path, number| age_files([path], days: 30 - number) }
    before = Dir.glob("**/*", base: store(app)).sort
    dry = json(prune(app, "--older-than", "29d", "--dry-run", "--json"))
    assert_equal before, Dir.glob("**/*", base: store(app)).sort
    real = json(prune(app, "--older-than", "29d", "--json"))
    assert_equal [dry, 2, 1], [real, real["images"], real["left_images"]]
    assert_operator real["pieces"], :>, 0
    other = elsewhere(app)
    pull(other)
    assert_exit 0, warmstart(other, "verify", env: cache(other))
    # a push under way has written a piece, and one that was killed a temporary file
    young = File.join(store(app), "pieces/ff", "f" * 64)
    FileUtils.mkdir_p(File.dirname(young))
    killed = File.join(File.dirname(young), ".0123456789abcdef.temporary")
    [young, killed].each { |path| File.write(path, "x") }
    age_files([killed], days: 1)
    assert_match(
      /\Aremoved 1 image and \d+ pieces, .*; 0 images and \d+ B are left\n\z/,
      prune(app, "--max-size", "0").stdout
    )
    left =
      Dir.glob("**/*", File::FNM_DOTMATCH, base: store(app)).select { |name| File.file?(File.join(store(app), name)) }
    named, rest = left.partition { |name| name.start_with?("pieces/ff/ff") }
    assert_equal 1, named.size
    assert_equal [], rest.grep(/temporary|index/)
    assert_complaint(/has no image of shop for this Ruby/, pull(elsewhere(app), status: 1))
  end

  # ---- who is believed ----

  test "what a trusted key has not signed for this application and this bundle is not taken" do
    app = recorded
    push(app)
    list = lists(app).first
    good = Zlib.inflate(File.binread(list))
    stranger = key(app, "stranger")
    {
      good.lines.first => /is not signed/,
      good.sub('"time":', '"time":1') => /is signed by no key that is trusted here/,
      good.sub(%r{ \S+\n\z}, " #{["x" * 64].pack("m0")}\n") => /is signed by no key that is trusted here/,
      good.sub(/^ed25519.*/) { sign(stranger, good.lines.first) } => /is signed by no key that is trusted here/,
      signed(app, good) { |facts| facts["application"] = "blog" } => /is for another application \(blog\)/,
      signed(app, good) { |facts| facts["bundle"] = "0" * 16 } => /is for another bundle \(0{16}\)/,
      signed(app, good) { |facts| facts["key"] = "0" * 16 } => /is damaged/,
      signed(app, good) { |facts| facts["format"] = 2 } =>
        /was made by a newer version of Warmstart \(its format is 2\)/,
      signed(app, good) { |facts| facts["files"][0][0] = "../../x" } => /is damaged/,
      signed(app, good) { |facts| facts["files"][0][1][0][2] += 1 << 30 } => /is damaged/,
      signed(app, good) { |facts| facts["pieces"][0][1] = -1 } => /is damaged/,
      signed(app, good) { |facts| facts["files"].each { |_, runs| runs.concat(runs * 100_000) } } =>
        /is damaged|is larger than WARMSTART_MAXIMUM_SIZE/,
      "#{"[" * 1000}\n" => /is not signed/,
      "" => /is not signed/,
      "\x00\xFF" * 100 => /is not signed/
    }.each do |bytes, reason|
      File.binwrite(list, Zlib.deflate(bytes))
      assert_match(/\Athe image \S+ in \S+ #{reason}\z/, refusal(app))
    end
    [good, "", Zlib.deflate(good)[0..-2], Zlib.deflate("\0" * (17 << 20))].each do |bytes|
      File.binwrite(list, bytes)
      assert_match(/\Athe image \S+ in \S+ is damaged\z/, refusal(app))
    end
    File.binwrite(list, Zlib.deflate(good.lines.first))
    other = elsewhere(app)
    assert_complaint(/\Awarmstart: the image \S+ in \S+ is not signed\n\z/, pull(other, status: 1))
    assert_equal ["exit 0", 1], pull(other, "--optional").then { |run| [run.status, run.stderr.lines.size] }
    assert_equal [], Dir.children(other.cache)
  end

  test "a piece that is not what the list says is not taken" do
    app = recorded
    push(app)
    piece = Dir[File.join(store(app), "pieces/*/*")].max_by { |path| File.size(path) }
    good = File.binread(piece)
    bytes = Zlib.inflate(good)
    bad = {
      good[0..-5] => /is damaged; push the image again with --force/,
      "" => /is damaged/,
      good.dup.tap { |copy| copy.setbyte(100, copy.getbyte(100) ^ 1) } => /is damaged/,
      Zlib.deflate(bytes + "x") => /is damaged/,
      Zlib.deflate("\0" * (1 << 24)) => /is damaged/,
      Zlib.deflate(bytes.reverse) => /is damaged/,
      good + ("x" * good.bytesize * 20) => /is larger than it can be/,
      :missing => /lacks pieces/,
      :fifo => /is not a regular file/,
      :link => /cannot read/,
      :folder => /cannot read|is not a regular file/
    }
    bad.each do |content, reason|
      FileUtils.rm_rf(piece)
      case content
      when String
        File.binwrite(piece, content)
      when :fifo
        File.mkfifo(piece)
      when :link
        File.symlink("/dev/zero", piece)
      when :folder
        Dir.mkdir(piece)
      end
      assert_match reason, refusal(app)
    end
    other = elsewhere(app)
    assert_complaint(/\Awarmstart: .*\n\z/, pull(other, status: 1))
    assert_equal [], Dir.children(other.cache)
    FileUtils.rm_rf(piece)
    File.binwrite(piece, "damaged")
    push(app)
    assert_equal "damaged", File.binread(piece)
    push(app, "--force")
    assert_equal good, File.binread(piece)
  end

  test "an index that lies costs at most a nearer image" do
    app = recorded
    push(app)
    index = Dir[File.join(store(app), "images/*/shop/index")].first
    good = File.binread(index)
    other = elsewhere(app)
    lock(other, ["rack-1"])
    {
      "[]" => 1,
      "nonsense" => 1,
      "{}" => 1,
      "[[1,2],[\"../../x\",[]]]" => 1,
      "[" * 5000 => 1,
      "null" => 1,
      good => 0,
      good.sub("[[", "[[\"0123456789abcdef\",[\"rack-1\"]],[") => 0
    }.each do |bytes, status|
      File.binwrite(index, bytes)
      FileUtils.rm_rf(Dir[File.join(other.cache, "*")])
      run = pull(other, status: status)
      assert_complaint(/\Awarmstart: \S+ has no image of shop/, run) if status == 1
    end
  end

  test "unsigned images are for a folder of one's own, and each command says so" do
    app = recorded
    run = push(app, "--unsigned", key: nil)
    assert_equal "warmstart: it is not signed; only 'pull --unsigned' takes it\n", run.stderr
    other = elsewhere(app)
    assert_complaint(/is not signed\n\z/, pull(other, status: 1))
    run = pull(other, "--unsigned", trust: nil)
    assert_equal "warmstart: --unsigned: whoever can write to #{store(app)} can run code in your programs\n", run.stderr
    assert_equal "hit", boot(other, env: cache(other)).last["lib/a.rb"]
    File.chmod(0o777, store(app))
    run = pull(elsewhere(app), "--unsigned", trust: nil, status: 2)
    assert_complaint(/\Awarmstart: --unsigned is for a folder that only you can write to; .* is none\n\z/, run)
  end

  test "the trusted keys are those of the application's file, of the variable and of the option" do
    app = recorded
    push(app)
    public = File.read("#{key(app)}.pub")
    stranger = File.read("#{key(app, "stranger")}.pub")
    run = pull(elsewhere(app), trust: nil, status: 2)
    assert_complaint(
      %r{\Awarmstart: no key is trusted: put a public key into config/warmstart/trusted_keys, or name it by --trust; try},
      run
    )
    pull(elsewhere(app), trust: nil, env: { "WARMSTART_TRUSTED_KEYS" => "#{stranger.chomp},#{public}" })
    pull(elsewhere(app), "--trust", stranger.chomp, trust: "#{key(app)}.pub")
    app.write("config/warmstart/trusted_keys", "# the team\n\n#{stranger}#{public}")
    pull(elsewhere(app), trust: nil)
    app.write("config/warmstart/trusted_keys", stranger)
    assert_complaint(/is signed by no key that is trusted here/, pull(elsewhere(app), trust: nil, status: 1))
    File.chmod(0o666, app.path("config/warmstart/trusted_keys"))
    assert_complaint(
      /everybody can write to .*trusted_keys, so it is not used\n\z/,
      pull(elsewhere(app), trust: nil, status: 2)
    )
  end

  # ---- wrong use, and trouble ----

  test "key new writes a private key that only its owner reads, once, and prints the public one" do
    app = application
    run = warmstart(app, "key", "new", "team.key")
    assert_exit 0, run
    assert_match(%r{\Aed25519 [A-Za-z0-9+/]{43}= team\.key\n\z}, run.stdout)
    assert_equal 0o600, File.stat(app.path("team.key")).mode & 0o777
    assert_equal run.stdout.split[1], Warmstart::Stores::Keys::Signing.read(app.path("team.key")).public
    again = warmstart(app, "key", "new", "team.key")
    assert_equal ["exit 2", "warmstart: #{app.path("team.key")} is there already; a key is never overwritten\n"],
                 [again.status, again.stderr]
    assert_complaint(/name the file for the private key; try/, warmstart(app, "key", "new"))
    assert_complaint(
      /\Awarmstart: cannot write .*: No such file or directory\n\z/,
      warmstart(app, "key", "new", "no/such/folder")
    )
  end

  test "a wrong store, key or name is one line and status 2, and is nothing to a deploy with --optional" do
    app = recorded
    push(app)
    open_key = key(app, "open")
    File.chmod(0o640, open_key)
    File.mkfifo(fifo = File.join(app.base, "fifo"))
    File.write(text = File.join(app.base, "text"), "text\n")
    File.chmod(0o600, text)
    [
      [[], [], /name a store: a folder or an address; try 'warmstart push --help'/],
      [%w[a b], [], /unexpected argument: b/],
      [["ftp://host/x"], [], %r{a store is a folder, or an address with http, https or s3, and not ftp://}],
      [[store(app)], %w[--key /nowhere], %r{cannot read /nowhere: No such file or directory}],
      [[store(app)], ["--key", open_key], /others can read the private key .*open; make a new one/],
      [[store(app)], ["--key", "#{key(app)}.pub"], /others can read|is no private Ed25519 key/],
      [[store(app)], ["--key", text], /text is no private Ed25519 key; 'warmstart key new FILE' makes one/],
      [[store(app)], ["--key", fifo], /fifo is not a regular file/],
      [[store(app)], %w[--key /dev/zero], %r{/dev/zero is not a regular file}],
      [[store(app)], [], /a push is signed: name a private key by --key/],
      [[store(app)], ["--key", key(app), "--unsigned"], /--key and --unsigned cannot be combined/],
      [[store(app)], ["--key", key(app), "--application", "a/b"], %r{--application: "a/b" is no name}],
      [[store(app)], ["--key", key(app), "--timeout", "0"], /--timeout must be 1 or more/]
    ].each do |places, options, message|
      run = warmstart(app, "push", *options, *places, env: cache(app))
      assert_equal ["exit 2", 1], [run.status, run.stderr.lines.size], run.stderr
      assert_complaint(/\Awarmstart: .*#{message}/, run)
    end
    [
      [["ftp://host/x"], [], %r{not ftp://}],
      [[store(app)], ["--trust", "ed25519 abc"], /not a public key: ed25519 abc/],
      [[store(app)], ["--trust", text], /not a public key: text/],
      [[store(app)], ["--trust", fifo], /is not a regular file/],
      [[store(app)], ["--trust", "#{key(app)}.pub", "--unsigned"], /cannot be combined/]
    ].each do |places, options, message|
      run = warmstart(app, "pull", *options, *places, env: cache(app))
      assert_equal ["exit 2", 1], [run.status, run.stderr.lines.size], run.stderr
      assert_complaint(/\Awarmstart: .*#{message}/, run)
      run = warmstart(app, "pull", "--optional", *options, *places, env: cache(app))
      assert_equal ["exit 0", 1], [run.status, run.stderr.lines.size], run.stderr
      assert_complaint(/; going on without an image \(--optional\)$/, run)
    end
    [%w[--older-than 3], %w[--older-than x], %w[--max-size -1], %w[--max-size 1T]].each do |options|
      assert_exit 2, warmstart(app, "prune", *options, store(app))
    end
  end

  test "trouble is one line and status 1, and the application boots all the same" do
    app = recorded
    nowhere = File.join(app.base, "not/mounted")
    [
      [pull(app, from: nowhere, status: 1), /there is no folder #{nowhere}/],
      [push(app, to: nowhere, status: 1), /cannot write .*: No such file or directory/],
      [prune(app, from: nowhere, status: 1), /there is no folder #{nowhere}/],
      [push(application, to: store(app), status: 1), /there is no .*: nothing was recorded yet.*; nothing was pushed/],
      [pull(application(FILES), from: app.folder, status: 1), /has no image of shop for this Ruby/]
    ].each { |run, message| assert_complaint(/\Awarmstart: .*#{message}.*\n\z/, run) }
    segment = Dir[File.join(app.cache, "*/*.segment")].first
    payload = File.size(segment) - 100
    File.open(segment, "r+b") { |file| file.pwrite("garbage", payload) }
    assert_complaint(/nothing was pushed\n\z/, push(app, status: 1))
    assert_equal "ab\n", boot(app, env: cache(app)).first.stdout
  end

  test "a file in the place of the cache folder is one line, and the application boots all the same" do
    app = recorded
    push(app)
    File.write(file = File.join(app.base, "file"), "")
    env = { "WARMSTART_CACHE_DIR" => file }
    run = pull(app, env: env, status: 1)
    assert_equal 1, run.stderr.lines.size, run.stderr
    assert_complaint(/\Awarmstart: .*#{file}.*\n\z/, run)
    assert_equal "ab\n", boot(app, env: env).first.stdout
    assert_equal "", File.read(file)
  end

  test "an image of a newer version, and devices in the place of files, are one line, and the application boots" do
    app = recorded
    push(app)
    list = lists(app).first
    good = File.binread(list)
    newer = signed(app, Zlib.inflate(good)) { |facts| facts["format"] = 2 }
    refused = ->(status, message, **options) do
      other = elsewhere(app)
      run = pull(other, status: status, **options)
      assert_equal 1, run.stderr.lines.size, run.stderr
      assert_complaint(/\Awarmstart: .*#{message}.*\n\z/, run)
      assert_equal [], Dir.children(other.cache)
      assert_equal "ab\n", boot(other, env: cache(other)).first.stdout
    end
    File.binwrite(list, Zlib.deflate(newer))
    refused.call(1, /was made by a newer version of Warmstart \(its format is 2\)/)
    File.binwrite(list, good)
    refused.call(2, %r{/dev/zero is not a regular file}, trust: nil, env: { "WARMSTART_TRUSTED_KEYS" => "/dev/zero" })
    token = { "WARMSTART_STORE_TOKEN_FILE" => "/dev/zero" }
    refused.call(2, %r{/dev/zero is not a regular file}, from: "http://127.0.0.1:1/x", env: token)
    ["/dev/null", "#{key(app)}.pub"].each do |place|
      refused.call(1, /there is no folder #{place}/, from: place)
      assert_complaint(/\Awarmstart: .*#{place}.*\n\z/, push(app, to: place, status: 1))
    end
    keys = app.path("config/warmstart/trusted_keys")
    FileUtils.mkdir_p(File.dirname(keys))
    File.mkfifo(keys)
    refused.call(2, /trusted_keys is not a regular file/, trust: nil)
    File.unlink(keys)
    File.symlink("/dev/zero", keys)
    refused.call(2, /trusted_keys is not a regular file/, trust: nil)
  end

  test "a changed clone and a clock that is wrong are told, and are no error" do
    app = recorded
    git = ->(*words) do
      system(
        "git",
        "-C",
        app.folder,
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        *words,
        out: File::NULL,
        err: File::NULL
      )
    end
    missing "git is not installed" unless system("git", "--version", out: File::NULL)

    git.call("init")
    git.call("remote", "add", "origin", "git@example.com:team/shop.git")
    app.write(".gitignore", "tmp\n")
    git.call("add", ".")
    git.call("commit", "-m", "all")
    run = push(app, name: nil)
    assert_equal "", run.stderr
    assert_match(/\Apushed shop /, run.stdout)
    app.write("lib/a.rb", "A = 'dirty'\n")
    assert_equal "warmstart: 1 file in the clone differs from its commit; the image is that of the files as they are\n",
                 push(app).stderr
    app.write("new.rb", "")
    assert_equal "warmstart: 2 files in the clone differ from its commit; the image is that of the files as they are\n",
                 push(app).stderr
    list = lists(app).first
    later = signed(app, Zlib.inflate(File.binread(list))) { |facts| facts["time"] += 100_000_000 }
    File.binwrite(list, Zlib.deflate(later))
    assert_complaint(
      /\Awarmstart: the image was pushed in the future \(.* UTC\); is a clock wrong\?\n\z/,
      pull(elsewhere(app))
    )
    # A clone of a folder.
    {
      "/srv/shop/." => "shop",
      "/srv/shop/.git" => "shop",
      "/srv/shop.git/" => "shop",
      ".." => "application"
    }.each do |url, name|
      git.call("remote", "set-url", "origin", url)
      assert_match(/\Apushed #{name} /, push(app, name: nil).stdout, url)
    end
  end

  # Signatures need OpenSSL, and a web store the network: what boots needs neither.
  test "a boot, status, key, verify and exec load neither OpenSSL nor the network's libraries; push does" do
    app = recorded
    note = File.join(app.base, "loaded.txt")
    app.write("note.rb", "at_exit { File.write(#{note.dump}, $LOADED_FEATURES.join(\"\\n\")) }\n")
    env = { **cache(app), "RUBYOPT" => "-r#{app.path("note.rb").gsub(" ", "\\ ")}" }
    others = -> { File.read(note).lines(chomp: true).grep(%r{/(openssl|net/http|socket|uri|digest)\b}) }
    [["status"], ["key"], ["verify"], ["exec", "--", RbConfig.ruby, app.path("main.rb")]].each do |words|
      FileUtils.rm_f(note)
      assert_exit 0, warmstart(app, *words, env: env)
      assert_equal [], others.call, words.first
    end
    FileUtils.rm_f(note)
    boot(app, env: env)
    assert_equal [], others.call
    push(app, env: env)
    refute_equal [], others.call
  end
end
