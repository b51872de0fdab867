# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/clock"
require_relative "support/command"
require_relative "../lib/warmstart/cli"
require_relative "../lib/warmstart/cli/env"

# The commands but for build, which has a file of its own.
class CLITest < TestCase
  include Command

  COMMANDS = Warmstart::CLI::COMMANDS.keys

  # ---- all commands ----

  test "the version and the list of commands" do
    app = application
    assert_equal "warmstart #{Warmstart::VERSION}\n", warmstart(app, "--version").stdout
    %w[help --help].each do |argument|
      run = warmstart(app, argument)
      assert_exit 0, run
      COMMANDS.each { |name| assert_includes run.stdout, "  #{name} " }
    end
    assert_equal warmstart(app, "help").stdout, warmstart(app).stdout
  end

  test "without an extension for this Ruby each command explains itself, and no command shows a backtrace" do
    skip "the copy is made with the variables of Unix alone" if Program::WINDOWS

    app = application
    copy = File.join(app.base, "copy")
    FileUtils.mkdir_p(copy)
    %w[exe lib].each { |folder| FileUtils.cp_r(File.join(Program::REPOSITORY, folder), copy) }
    FileUtils.rm_rf(File.join(copy, "lib/warmstart/native"))
    run = ->(*words) do
      app.execute(
        [RbConfig.ruby, File.join(copy, "exe/warmstart"), *words],
        env: {
          "PATH" => ENV["PATH"],
          "HOME" => app.home
        }
      )
    end
    COMMANDS.each { |name| assert_match(/\AUsage: warmstart #{name} /, run.call(name, "--help").stdout, name) }
    [
      %w[build -- true],
      %w[status],
      %w[verify],
      %w[clear],
      %w[why main.rb],
      ["profile", "--", RbConfig.ruby, "-e", "1"]
    ].each do |words|
      result = run.call(*words)
      assert_match(/\Awarmstart: there is no extension for this Ruby .*\n\z/, result.stderr, words.inspect)
      assert_equal "exit 1", result.status
    end
  end

  test "output that cannot be written is a failure" do
    app = application
    command = [RbConfig.ruby, File.join(Program::REPOSITORY, "exe/warmstart")]
    key = app.path("private")
    reasons = {
      ">/dev/full" => "No space left on device; is the disk full?",
      ">&-" => "stdout is closed",
      "1</dev/null" => "Bad file descriptor"
    }
    [
      %w[env],
      %w[env --json],
      %w[help],
      %w[why --help],
      %w[--version],
      %w[status --json],
      %w[key],
      ["key", "new", key],
      %w[clear],
      %w[verify --json],
      %w[init],
      *(
        if RUBY_PLATFORM.include?("linux")
          [%w[standby status], %w[standby path], %w[standby stop], %w[why --standby -- true]]
        end
      ),
      ["profile", "--json", "-", "--", RbConfig.ruby, "-e", ""],
      ["profile", "--html", "-", "--", RbConfig.ruby, "-e", ""]
    ].each do |arguments|
      reasons.each do |place, reason|
        run =
          app.execute(
            ["sh", "-c", "exec \"$@\" #{place}", "sh", *command, *arguments],
            env: {
              "PATH" => ENV["PATH"],
              "HOME" => app.home
            }
          )
        # (The client, a program in C, says it without the question.)
        assert_equal ["exit 1", ["warmstart: cannot write the output: #{reason.delete_suffix("; is the disk full?")}"]],
                     [run.status, run.stderr.lines.map { |line| line.chomp.delete_suffix("; is the disk full?") }],
                     "#{arguments.inspect} #{place}"
      end
    end
    refute_path_exists key
    refute_includes File.read(app.path("Gemfile")), "warmstart"
  end

  test "a pipe whose reader has seen enough is nothing to complain about" do
    skip "there are no broken pipes" if Program::WINDOWS

    script = <<~'RUBY'
      reader, writer = IO.pipe
      $stdout.reopen(writer)
      $stdout.sync = false
      $stdout.define_singleton_method(:flush) { reader.close unless reader.closed?; super() }
      load ARGV.shift
    RUBY
    run =
      application.execute(
        [RbConfig.ruby, "-e", script, File.join(Program::REPOSITORY, "exe/warmstart"), "help"],
        env: {
        }
      )
    assert_equal ["exit 1", ""], [run.status, run.stderr]
  end

  test "what nobody can read on stderr fails no command" do
    app = application
    command = [RbConfig.ruby, File.join(Program::REPOSITORY, "exe/warmstart")]
    %w[2>&- 2>/dev/full].each do |place|
      %w[nowhere nowhere/else].each do |store|
        run =
          app.execute(
            ["sh", "-c", "exec \"$@\" #{place}", "sh", *command, "pull", "--optional", "--unsigned", store],
            env: {
              "PATH" => ENV["PATH"],
              "HOME" => app.home
            }
          )
        assert_equal "exit 0", run.status, place
      end
      run = app.execute(["sh", "-c", "exec \"$@\" #{place}", "sh", *command, "nonsense"], env: { "HOME" => app.home })
      assert_equal "exit 2", run.status, place
    end
  end

  test "each command explains itself" do
    app = application
    COMMANDS.each do |name|
      run = warmstart(app, name, "--help")
      assert_exit 0, run
      assert_match(/\AUsage: warmstart #{name} /, run.stdout)
      assert_equal "", run.stderr
    end
  end

  test "a wrong command, option or argument gets one line and status 2" do
    app = application
    [
      %w[nonsense],
      *COMMANDS.map { |name| [name, "--nonsense"] },
      %w[status x],
      %w[why],
      %w[build],
      %w[exec],
      %w[bench],
      %w[build --jobs 0 --all],
      %w[build --jobs x --all],
      %w[build --user --all],
      %w[build --fingerprint x --all],
      %w[build --exclude ( --all],
      %w[profile --grep ( -- ruby -e 1],
      ["push", ""],
      ["pull", ""],
      ["clear", "--image", ""],
      ["status", "--root", ""],
      ["why", "--user", "", "x"],
      ["binstub", "--to", "", "ruby"]
    ].each do |arguments|
      run = warmstart(app, *arguments)
      assert_exit 2, run
      assert_match(/\Awarmstart: .*; try 'warmstart (#{arguments.first} )?--help'\n\z/, run.stderr)
      assert_equal "", run.stdout
    end
  end

  test "outside of an application a command says so" do
    app = application
    run = warmstart(app, "status", chdir: app.base)
    assert_exit 1, run
    assert_complaint(/there is no application here: no folder above .* has a Gemfile/, run)
  end

  test "a program that is not there, or lies in the current folder" do
    app = application("a.rb" => "")
    {
      "b.rb" => "b.rb; give its path",
      "a.rb" => "a.rb; give its path, ./a.rb",
      "./b.rb" => "./b.rb"
    }.each do |name, said|
      run = warmstart(app, "status", "--user", name)
      assert_exit 127, run
      assert_complaint(/there is no program #{Regexp.escape(said)}$/, run)
    end
  end

  # ---- exec ----

  test "exec runs a program with Warmstart, in front of what RUBYOPT has" do
    app = application("plain.rb" => "p ENV['RUBYOPT'], ARGV, defined?(Warmstart)\nexit 3\n")
    before =
      ("-I#{File.join(Program::REPOSITORY, "lib/warmstart/before_rubygems")} " if File.readable?("/proc/self/cmdline"))
    expected =
      [
        %("#{before}-r#{File.join(Program::REPOSITORY, "lib/warmstart/start.rb")} -W0"),
        '["--version", "--", "x"]',
        '"constant"'
      ].join("\n") + "\n"
    [%w[exec], %w[exec --]].each do |words|
      run = warmstart(app, *words, RbConfig.ruby, "plain.rb", "--version", "--", "x", env: { "RUBYOPT" => "-W0" })
      assert_exit 3, run
      assert_equal expected, run.stdout
    end
  end

  test "exec uses the user's cache folder, whatever lies in the application's" do
    app = application("plain.rb" => "require_relative 'lib/a'\n")
    2.times { assert_exit 0, warmstart(app, "exec", RbConfig.ruby, "plain.rb") }
    assert_equal 1, Dir[File.join(user_cache(app), "*/*.manifest")].size
    refute Dir.exist?(image_folder(app))
  end

  test "exec says when a command does not exist or cannot be executed" do
    app = application("text" => "hello")
    run = warmstart(app, "exec", "no-such-command")
    assert_exit 127, run
    assert_complaint(/unknown command no-such-command/, run)
    # (By their endings Windows knows that these are no commands.)
    status, complaint = Program::WINDOWS ? [127, /unknown command/] : [126, /cannot be executed/]
    [app.path("text"), app.folder].each do |path|
      run = warmstart(app, "exec", path)
      assert_exit status, run
      assert_complaint(complaint, run)
    end
  end

  # ---- status, verify, clear ----

  test "status without an image says why" do
    app = application
    run = warmstart(app, "status")
    assert_exit 1, run
    assert_match(/^reason +missing: there is no #{Regexp.escape(image_folder(app))}/, run.stdout)
    answer = JSON.parse(warmstart(app, "status", "--json").stdout)
    assert_equal ["missing", false], answer.values_at("reason", "image")
  end

  test "status shows what the image holds and what the last recording boot counted" do
    app = application
    boot(app)
    answer = JSON.parse(warmstart(app, "status", "--json").stdout)
    assert_equal ["checked", 2, []], answer.values_at("mode", "entries", "warnings")
    assert_operator answer["index"]["features"], :>=, 2
    assert_equal 2, answer["last_boot"]["counts"]["miss"]
    assert_equal 2, answer["last_boot"]["reasons"]["miss.not_recorded"]
    assert_match(/^files +2$/, warmstart(app, "status").stdout)
  end

  test "status shows what a boot would find now" do
    app = application
    boot(app)
    assert_match(/^now +2 as recorded$/, warmstart(app, "status").stdout)
    assert_match(
      /^recorded +.*main\.rb, .*a boot that finds everything as recorded writes nothing$/,
      warmstart(app, "status").stdout
    )
    File.utime(Time.at(1), Time.at(1), app.path("lib/a.rb"))
    File.delete(app.path("lib/deep/b.rb"))
    assert_match(/^now +0 as recorded, 1 to be read and the same, 1 gone$/, warmstart(app, "status").stdout)
    app.write("lib/a.rb", "A = 'other'\n")
    assert_equal(
      { "as_recorded" => 0, "same_content" => 0, "changed" => 1, "gone" => 1 },
      JSON.parse(warmstart(app, "status", "--json").stdout)["now"]
    )
  end

  test "status says what the last boot that has written was taken for, and why" do
    # (It keeps so much that its size is learned, once the governor has seen it. Where a file has changed the boot writes,
    # and so tells of itself. No time passes for the governor, so no slow machine ends the boot before.)
    clock = Clock.new(File.join(temporary_folder, "clock"))
    app =
      application(
        "main.rb" => <<~RUBY,
      require_relative "config/boot"
      $LOAD_PATH.unshift File.expand_path("lib", __dir__)
      require "a"
      require "sidekiq/launcher"
      KEPT = Array.new(80 * 64) { "x" * (16 << 10) }
      6000.times { Warmstart::Native.governor.then { |facts| facts[:peak] - facts[:first] } > 70 << 20 ? break : sleep(0.01) }
      Sidekiq::Launcher.new.run if ARGV.any?
    RUBY
        "lib/sidekiq/launcher.rb" => "module Sidekiq; class Launcher; def run = 0; end; end\n"
      )
    told =
      lambda do |*arguments|
        app.write("lib/a.rb", "A = #{(@written = @written.to_i + 1)}\n")
        app.age
        assert_exit 0, boot(app, *arguments, env: { "WARMSTART_GC" => "64", **clock.environment }).first
        facts = JSON.parse(warmstart(app, "status", "--json").stdout)["last_boot"]["governor"]
        [
          warmstart(app, "status").stdout[/^collector .*; taken for a (.+)$/, 1],
          facts.values_at("taken_for", "because").join(": ").tr("_", " ")
        ]
      end
    ["command: it is new", "command: it has not served"].each do |expected|
      assert_equal [expected, expected], told.call
    end
    ["server: it serves", "server: it served before"].each do |expected|
      assert_equal [expected, expected], told.call("serve")
    end
  end

  test "status says when an image for another encoding lies there" do
    app = application
    boot(app)
    run = warmstart(app, "status", env: { "LANG" => "C", "LC_ALL" => "C" })
    assert_exit 1, run
    assert_match(/differs in: encodings/, run.stdout)
  end

  test "status warns when many files were revalidated and names the cause" do
    app = application
    boot(app)
    %w[lib/a.rb lib/deep/b.rb].each { |name| File.utime(Time.at(1), Time.at(1), app.path(name)) }
    boot(app)
    run = warmstart(app, "status")
    assert_complaint(/2 of 2 files had to be read .*mtime/, run)
  end

  test "verify finds a flipped bit, and status 1 says so to scripts" do
    app = application
    boot(app)
    assert_exit 0, warmstart(app, "verify")
    segment = Dir[File.join(image_folder(app), "*.segment")].first
    bytes = File.binread(segment)
    [100, bytes.rindex("YARB") + 40].each do |position|
      File.binwrite(segment, bytes.dup.tap { |copy| copy.setbyte(position, copy.getbyte(position) ^ 1) })
      run = warmstart(app, "verify")
      assert_exit 1, run
      assert_complaint(/checksum|bounds|damaged/, run)
      assert_match(/warmstart clear/, run.stderr)
      assert_equal false, JSON.parse(warmstart(app, "verify", "--json").stdout)["images"].first["whole"]
    end
  end

  test "clear removes the image and nothing else" do
    app = application
    boot(app)
    app.write("tmp/cache/warmstart/mine.txt", "stays")
    run = warmstart(app, "clear")
    assert_exit 0, run
    assert_match(/\Aremoved [\d.]+ KB from /, run.stdout)
    assert_equal ["mine.txt"], Dir.children(image_folder(app))
    assert_match(/\Aremoved 0 B/, warmstart(app, "clear").stdout)
  end

  test "clear --all removes every image in the user's cache folder" do
    app = application("one.rb" => "1\n", "two/Gemfile" => "", "two/two.rb" => "2\n")
    %w[one.rb two/two.rb].each { |name| warmstart(app, "exec", RbConfig.ruby, name) }
    assert_equal 2, Dir[File.join(user_cache(app), "*")].size
    assert_exit 0, warmstart(app, "clear", "--all")
    assert_empty Dir[File.join(user_cache(app), "*")]
  end

  # ---- why ----

  test "why --user tells how a feature of a lone script is found" do
    app = application
    tool = File.join(app.base, "alone/tool.rb")
    FileUtils.mkdir_p(File.dirname(tool))
    File.write(tool, "require 'json'\n")
    sleep Program::AGEING
    assert_exit 0, warmstart(app, "exec", RbConfig.ruby, tool)
    run = warmstart(app, "why", "--user", tool, "json")
    assert_equal "", run.stderr
    assert_match(%r{/json\.rb}, run.stdout)
  end

  test "why tells hits from misses, each with a reason" do
    app = application
    boot(app)
    explain = ->(name) { JSON.parse(warmstart(app, "why", "--json", name).stdout).values_at("served", "reason") }
    assert_equal [true, "fresh"], explain.call("lib/a.rb")
    assert_equal [false, "not_recorded"], explain.call("lib/never.rb")
    assert_equal [false, "gone"], explain.call("./lib/nowhere.rb")
    File.utime(Time.at(1), Time.at(1), app.path("lib/a.rb"))
    assert_equal [true, "mtime"], explain.call("lib/a.rb")
    app.write("lib/a.rb", "A = 'other'\n")
    assert_equal [false, "size"], explain.call("lib/a.rb")
    app.write("lib/a.rb", "A = 'x'\n")
    assert_equal [false, "mtime"], explain.call("lib/a.rb")
    run = warmstart(app, "why", "lib/a.rb")
    assert_exit 1, run
    assert_match(%r{lib/a\.rb: not from the image \(mtime\): }, run.stdout)
  end

  test "why knows what the settings turn off" do
    app = application
    boot(app)
    lines = ->(name, value, env) { warmstart(app, "why", name, env: { env => value }).stdout.lines(chomp: true) }
    b = app.path("lib/deep/b.rb")
    assert_equal ["#{b}: from the image (fresh): the file is as it was recorded"],
                 lines.call("lib/deep/b.rb", "1", "WARMSTART_CODE").first(1)
    assert_equal ["#{b}: not from the image (code_off): no code is taken from the image (WARMSTART_CODE=0)"],
                 lines.call("lib/deep/b.rb", "0", "WARMSTART_CODE")
    assert_equal ["#{b}: not from the image (off): Warmstart is off (WARMSTART=0)"],
                 lines.call("lib/deep/b.rb", "0", "WARMSTART")
    %w[WARMSTART WARMSTART_SEARCH].each do |setting|
      assert_match(/\AEnglish: Ruby searches \(index_off\): /, lines.call("English", "0", setting).first, setting)
    end
  end

  test "why and a boot agree about a file that only Ruby may compile" do
    app = application("lib/a.rb" => "# encoding: koi8-r\nA = 'a'\n", "lib/never.rb" => "C = 'c' if (c = 1)\n")
    app.write("main.rb", File.read(app.path("main.rb")).sub("puts", "require 'never'\nputs"))
    app.age
    2.times { boot(app) }
    agree =
      lambda do |*names, env: {}|
        events = boot(app, env: { "WARMSTART_READONLY" => "1", **env }).last
        names.map do |name|
          facts = JSON.parse(warmstart(app, "why", "--json", name, env: env).stdout)
          assert_equal %w[hit revalidated].include?(events.fetch(name)), facts["served"], [name, events, facts].inspect
          [events.fetch(name), facts["reason"]]
        end
      end
    names = %w[lib/a.rb lib/deep/b.rb lib/never.rb]
    assert_equal [%w[miss encoding], %w[hit fresh], %w[miss warnings]], agree.call(*names)
    assert_equal %w[miss warnings], agree.call("lib/deep/b.rb", env: { "RUBYOPT" => "-w" }).first
    assert_equal %w[hit fresh], agree.call("lib/never.rb", env: { "RUBYOPT" => "-W0" }).first
    names.each { |name| File.utime(Time.at(1), Time.at(1), app.path(name)) }
    assert_equal [%w[miss encoding], %w[revalidated mtime]], agree.call(*names.first(2))
    off = { "WARMSTART_REVALIDATE" => "0" }
    assert_equal [%w[stale mtime], %w[stale mtime]], agree.call(*names.first(2), env: off)
    assert_equal "0 as recorded, 3 changed", warmstart(app, "status", env: off).stdout[/^now +(.*)$/, 1]
  end

  test "why, status and verify know documents" do
    app =
      application(
        "main.rb" => <<~RUBY,
      require_relative "config/boot"
      require "yaml"
      YAML.load_file("\#{__dir__}/a.yml")
      %w[a tags time plain].each { |name| YAML.unsafe_load_file("\#{__dir__}/\#{name}.yml", freeze: true) }
    RUBY
        "a.yml" => "a: text\n",
        "tags.yml" => "a: !t 1\n",
        "time.yml" => "- 2001-12-14 21:59:43Z\n",
        "plain.yml" => "plain\n"
      )
    boot(app)
    explain = ->(name) { JSON.parse(warmstart(app, "why", "--json", name).stdout) }
    assert_equal [true, "fresh"], explain.call("a.yml").values_at("served", "reason")
    off = warmstart(app, "why", "a.yml", env: { "WARMSTART_DOCUMENTS" => "0" })
    assert_match(/a\.yml: not from the image \(documents_off\): .* \(WARMSTART_DOCUMENTS=0\)$/, off.stdout)
    assert_equal(
      %w[load_file unsafe_load_file],
      explain.call("a.yml")["documents"].map { |document| document["call"][/\Ayml .* (\w*load_file)/, 1] }
    )
    assert_equal [false, "tags"], explain.call("tags.yml").values_at("served", "reason")
    assert_equal [false, "not_plain"], explain.call("time.yml").values_at("served", "reason")
    assert_equal [false, "not_recorded"], explain.call("plain.yml").values_at("served", "reason")
    run = warmstart(app, "why", "a.yml")
    assert_exit 0, run
    assert_match(/^  yml \d[^:]* unsafe_load_file freeze=1: from the image \(fresh\)/, run.stdout)
    assert_match(/^documents +4$/, warmstart(app, "status").stdout)
    assert_match(/whole, \d+ files, 4 documents/, warmstart(app, "verify").stdout)
    segment = Dir[File.join(image_folder(app), "*.segment")].first
    time = File.mtime(segment)
    File.binwrite(segment, File.binread(segment).sub("\x04text", "\x04tex!"))
    File.utime(time, time, segment) # (as a disk damages it: else it would not be what was made here)
    assert_complaint(/the entry for .*a\.yml is damaged/, warmstart(app, "verify"))
    assert_equal [false, "checksum"], explain.call("a.yml").values_at("served", "reason")
  end

  test "why resolves a feature through the application's load path" do
    app = application("main.rb" => "require_relative 'config/boot'\nrequire 'set'\nrequire 'English'\n")
    boot(app)
    run = warmstart(app, "why", "English")
    assert_exit 0, run
    assert_match(/\AEnglish: the index answers without a search\n.*English\.rb: from the image \(fresh\)/, run.stdout)
    run = warmstart(app, "why", "etc")
    assert_exit 1, run # (the index finds it; no image holds a compiled library)
    assert_match(/\Aetc: the index answers without a search\n.*etc\.so: not from the image \(library\)/, run.stdout)
    run = warmstart(app, "why", "no/such/feature")
    assert_exit 1, run
    assert_match(/unknown_feature/, run.stdout)
  end

  test "every reason in the C code has an explanation, and no other has" do
    require_relative "../lib/warmstart/image/reasons"
    source = ->(name) { File.read(File.join(Program::REPOSITORY, "ext/warmstart", name)) }
    reasons = Warmstart::Image::Reasons
    assert_equal source["core/system/error.c"].scan(/\{ "(\w+)",/).flatten.sort - %w[unknown none],
                 reasons::IMAGE.keys.map(&:to_s).sort

    words =
      lambda do |*names|
        names
          .map { |name| source[name] }
          .join
          .scan(
            /\*?reason = "(\w+)"|^ +(?:if .*)?return "(\w+)";|(?:chosen|left_to_ruby)\(\w+, "(\w+)"\)|NULL : "(\w+)"|\*reason = [^;"]*\? "(\w+)" : "(\w+)"/
          )
          .flatten
          .compact
          .uniq
      end
    ways = %w[ruby/require/way.c]
    others =
      Dir["ruby/**/*.c", base: File.join(Program::REPOSITORY, "ext/warmstart")] - ways - %w[ruby/collector/governor.c]
    assert_equal words["core/image/image.c", *others].sort, reasons::FILE.keys.map(&:to_s).sort
    conditions = source["ruby/require/way.c"].scan(/^[^"]*\{ "(\w+)", \w+ \}/).flatten
    assert_empty words[*ways] + conditions - reasons::ALL.keys.map(&:to_s)
    assert_empty reasons::WAY.keys.map(&:to_s) - words[*ways] - conditions - %w[loading]

    names = source["core/index/feature_index.c"][/reason_names\[.*?\};/m].scan(/"(\w+)"/).flatten
    assert_equal (names + %w[no_index index_off]).sort, reasons::FEATURE.keys.map(&:to_s).sort
    keys = %i[IMAGE FILE FEATURE WAY].flat_map { |name| reasons.const_get(name).keys }
    assert_equal [], keys.tally.reject { |_, count| count == 1 }.keys, "a word with two meanings"
    reasons::ALL.each_value { |text| refute_match(/\A[A-Z][a-z]+ [a-z]+.*\.\z/, text) }
  end

  # ---- env and its page ----

  test "env shows every setting, its value and where that comes from" do
    app = application
    run = warmstart(app, "env", "--json", env: { "WARMSTART_MAXIMUM_SIZE" => "64M", "WARMSTART_MODE" => "x" })
    assert_complaint(/correct WARMSTART_MODE=x: it is not understood/, run)
    settings = JSON.parse(run.stdout).to_h { |setting| [setting["variable"], setting] }
    commands = Warmstart::CLI::Env::ONLY_COMMANDS_READ.keys.map { |name| Warmstart::CLI::Env.variable(name) }
    assert_equal Warmstart::Configuration::OPTIONS.map(&:variable) + commands, settings.keys
    assert_equal [64 << 20, "environment"], settings["WARMSTART_MAXIMUM_SIZE"].values_at("value", "from")
    assert_equal [true, "default"], settings["WARMSTART"].values_at("value", "from")
    text = warmstart(app, "env").stdout
    settings.each_key { |variable| assert_match(/^#{variable}=/, text) }
  end

  test "env does not print secrets" do
    secrets = { "WARMSTART_SIGNING_KEY" => "s3cret", "WARMSTART_STORE_TOKEN" => "s3cret" }
    open = { "WARMSTART_APPLICATION" => "shop", "WARMSTART_STORE_TOKEN_FILE" => "" }
    run = warmstart(application, "env", env: { **secrets, **open })
    refute_includes run.stdout, "s3cret"
    assert_match(/^WARMSTART_SIGNING_KEY=\(set\)  \(environment; text, default -\)$/, run.stdout)
    assert_match(/^WARMSTART_APPLICATION=shop  \(environment; text, default -\)$/, run.stdout)
    assert_match(/^WARMSTART_STORE_TOKEN_FILE=-  \(default; text\)$/, run.stdout)
  end

  # What Warmstart's own processes tell one another.
  MESSAGES = /\AWARMSTART_(?:PROGRAM|PLACES|PROFILE\w*)\z/

  test "env shows every variable that the code names" do
    code = Dir[File.join(Program::REPOSITORY, "lib/**/*.rb")].map { |path| File.read(path) }.join
    named = code.scan(/\bWARMSTART_[A-Z_]+\b/).uniq.grep_v(MESSAGES)
    assert_empty named - Warmstart::CLI::Env.markdown.scan(/`(WARMSTART\w*)`/).flatten
  end

  test "docs/configuration.md has the table that env prints" do
    page = File.read(File.join(Program::REPOSITORY, "docs/configuration.md"))
    assert_includes page, Warmstart::CLI::Env.markdown, "put the output of `warmstart env --markdown` into the page"
  end

  test "docs/command_line.md names every command and every option" do
    app = application
    page = File.read(File.join(Program::REPOSITORY, "docs/command_line.md"))
    COMMANDS.each do |name|
      assert_match(/^## #{name}$/, page)
      section = page[/^## #{name}$.*?(?=^## |\z)/m]
      warmstart(app, name, "--help")
        .stdout
        .scan(/--(?:\[no-\])?[a-z][a-z-]+/)
        .uniq
        .each { |option| assert_includes section, option, name unless option == "--help" }
    end
  end

  # ---- bench ----

  test "bench compares plain Ruby and Warmstart, and leaves bootsnap out where there is none" do
    app = application("plain.rb" => "require_relative 'lib/a'\n")
    run = warmstart(app, "bench", "--runs", "2", "--json", "--no-system-calls", "--", RbConfig.ruby, "plain.rb")
    assert_exit 0, run
    assert_complaint(/bootsnap was not measured/, run)
    answer = JSON.parse(run.stdout)
    assert_equal %w[plain warmstart], answer["variants"].map { |variant| variant["name"] }
    answer["variants"].each do |variant|
      assert_equal [2, 2], [variant["cpu"]["runs"].size, variant["memory"]["runs"].size]
    end
    assert_match(
      /^warmstart +[\d.]+ m?s/,
      warmstart(app, "bench", "-n1", "--no-system-calls", "--", RbConfig.ruby, "plain.rb").stdout
    )
  end

  test "bench leaves bootsnap out where the command's bundle does not have it" do
    app = application("plain.rb" => "require 'bundler/setup'\nrequire_relative 'lib/a'\n")
    run = warmstart(app, "bench", "-n1", "--no-system-calls", "--", RbConfig.ruby, "plain.rb")
    assert_exit 0, run
    assert_complaint(/bootsnap was not measured: it is not in the bundle/, run)
  end

  test "bench draws its runs: as SVG, and in characters" do
    app = application("plain.rb" => "require_relative 'lib/a'\n")
    run =
      warmstart(
        app,
        "bench",
        "-n2",
        "--no-system-calls",
        "--svg",
        app.path("runs.svg"),
        "--plot",
        "--",
        RbConfig.ruby,
        "plain.rb"
      )
    assert_exit 0, run
    assert_match(/^CPU time: runs \(o\), middle half \(=\), median \(#\)\nplain .*\nwarmstart .*\n/, run.stdout)
    picture = File.read(app.path("runs.svg"))
    assert_equal 8, picture.scan("<circle").size
    assert_match(%r{<title id="title">.*ruby.* plain\.rb</title>}, picture)
    run = warmstart(app, "bench", "-n1", "--quiet", "--", "nonsense-command")
    assert_exit 127, run
    assert_equal "warmstart: unknown command nonsense-command; check its name and PATH\n", run.stderr
    run = warmstart(app, "bench", "--svg", "/nowhere/runs.svg", "--", RbConfig.ruby, "plain.rb")
    assert_exit 1, run
    assert_complaint(%r{cannot write /nowhere/runs.svg: .*; name another file}, run)
  end

  test "bench refuses a command that fails" do
    command = Program::WINDOWS ? %w[cmd /c exit 1] : %w[false]
    run = warmstart(application, "bench", "--", *command)
    assert_exit 1, run
    assert_complaint(/plain: #{command.join(" ")} ended with status 1/, run)
  end
end
