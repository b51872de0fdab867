# frozen_string_literal: true

require_relative "test_helper"
require_relative "../lib/warmstart/configuration"
require_relative "../lib/warmstart/cli"
require_relative "../lib/warmstart/cli/env"

# The table of settings, and what each does.
class ConfigurationTest < TestCase
  Configuration = Warmstart::Configuration

  test "defaults" do
    configuration = Configuration.new({}, {})
    Configuration::OPTIONS.each do |option|
      if option.default.nil?
        assert_nil(configuration.public_send(option.name))
      else
        assert_equal(option.default, configuration.public_send(option.name))
      end
    end
    assert_empty configuration.given
  end

  test "every option has a variable with our prefix, a type and a sentence" do
    Configuration::OPTIONS.each do |option|
      assert_match(/\AWARMSTART(_[A-Z]+)*\z/, option.variable)
      assert_includes Configuration::TYPES.keys, option.type
    end
    assert_equal Configuration::OPTIONS.map(&:variable).uniq, Configuration::OPTIONS.map(&:variable)
    assert_equal Configuration::OPTIONS.map(&:name), Warmstart::CLI::Env::MEANINGS.keys
    Warmstart::CLI::Env::MEANINGS.each_value { |text| assert_operator text.size, :>, 20 }
  end

  test "keywords, and the environment over them" do
    assert Configuration.new({ readonly: true }, {}).readonly
    configuration =
      Configuration.new(
        { readonly: true, cache_dir: "/a" },
        { "WARMSTART_READONLY" => "0", "WARMSTART_CACHE_DIR" => "/b/../c" }
      )
    refute configuration.readonly
    assert_equal File.expand_path("/c"), configuration.cache_dir
    assert_equal({ readonly: :environment, cache_dir: :environment }, configuration.given)
  end

  test "an unknown keyword is said and ignored" do
    configuration = Configuration.new({ nonsense: 1, readonly: true }, {})
    assert_match(/\Aremove :nonsense from Warmstart\.setup /, configuration.complaints.join)
    assert configuration.readonly
  end

  test "texts of each type" do
    %w[0 false off no NO].each { |text| refute Configuration.new({}, { "WARMSTART" => text }).enabled, text }
    %w[1 true yes on].each { |text| assert Configuration.new({}, { "WARMSTART" => text }).enabled, text }
    assert Configuration.new({}, { "WARMSTART" => "" }).enabled
    assert_equal 256 << 20, Configuration.new({}, { "WARMSTART_MAXIMUM_SIZE" => "256M" }).maximum_size
    assert_equal 5, Configuration.new({}, { "WARMSTART_MAXIMUM_SIZE" => "5" }).maximum_size
    assert_equal %w[a b], Configuration.new({}, { "WARMSTART_IGNORE_DIRECTORIES" => "a, b,," }).ignore_directories
    assert_equal :copy, Configuration.new({}, { "WARMSTART_MAP" => "copy" }).map
    assert_equal :checked, Configuration.new({}, { "WARMSTART_MODE" => "checked" }).mode
    assert_equal [true, false, true, false, 64],
                 %w[on off 1 0 64].map { |text| Configuration.new({}, { "WARMSTART_GC" => text }).gc }
  end

  test "a text that is not understood is said and ignored" do
    configuration =
      Configuration.new({}, { "WARMSTART_MAXIMUM_SIZE" => "big", "WARMSTART_MODE" => "sealed", "WARMSTART_MAP" => "x" })
    assert_equal 3, configuration.complaints.size
    assert_nil configuration.mode
    assert_equal 512 << 20, configuration.maximum_size
  end

  # ---- one rule for variables and keywords ----

  # What each type understands, as a variable's text, and in Ruby's own words. (A path is seen from the current folder.)
  Folder = Struct.new(:to_path)
  UNDERSTOOD = {
    boolean: [["0", false, ["off", :no, 0, false]], ["1", true, ["on", :yes, 1, true]]],
    # (A path is UTF-16 on Windows, and so has no such byte there.)
    path: [
      ["a/../b", File.expand_path("b"), [Folder.new("b"), "./b"]],
      *([["/\xFF", File.expand_path("/\xFF"), []]] unless Program::WINDOWS)
    ],
    file: [["config/a.rb", "config/a.rb", [Folder.new("config/a.rb")]], ["~/a.rb", File.expand_path("~/a.rb"), []]],
    list: [["a, b,,", %w[a b], [%w[a b], %i[a b], "a,b"]], ["none", %w[none], [:none, ["none"]]]],
    bytes: [["256M", 256 << 20, ["256m", 256 << 20, :"256M"]], ["5", 5, [5]]],
    mode: [["checked", :checked, ["checked", :checked]]],
    map: [["copy", :copy, ["copy", :copy]]],
    gc: [["off", false, [:off, false, 0, "OFF"]], ["on", true, [:on, true, 1]], ["64", 64, [64, "64"]]]
  }.freeze

  # ... and what none of them does. (Bytes that are no characters are a path, but no name.)
  NEVER = [1.5, Object.new, {}, [nil], ["a", 1.5], ["\xFF"], "log".encode("UTF-16LE")].freeze
  NOT_UNDERSTOOD = {
    boolean: ["\xFF", ["a"]],
    path: ["~nosuchuser/x", "a\0b", true, 5, :tmp, ["a"], Folder.new(5)],
    file: ["~nosuchuser/x", "a\0b", true, 5],
    list: ["\xFF", Folder.new("a")],
    bytes: ["99999999999G", "9" * 30, "-1", "big", "1.5G", "\xFF", -1, "yes"],
    mode: ["sealed", "\xFF", true],
    map: ["x", 1],
    gc: ["lots", "\xFF", "1000000", -5, 1_000_000]
  }.freeze

  def same_value(expected, found, about)
    expected.nil? ? assert_nil(found, about) : assert_equal(expected, found, about)
  end

  test "each type understands the same in a variable and in a keyword" do
    assert_equal Configuration::TYPES.keys.sort, UNDERSTOOD.keys.sort
    Configuration::OPTIONS.each do |option|
      UNDERSTOOD
        .fetch(option.type)
        .each do |text, value, natural|
          [
            [{}, { option.variable => text }],
            *([text, *natural].map { |given| [{ option.name => given }, {}] } if option.keyword?)
          ].each do |settings, environment|
            configuration = Configuration.new(settings, environment)
            assert_equal value, configuration.public_send(option.name), [settings, environment].inspect
            assert_equal [option.name], configuration.given.keys
            assert_empty configuration.complaints
          end
        end
    end
  end

  test "what a type does not understand is one complaint, and the default holds" do
    assert_equal Configuration::TYPES.keys.sort, NOT_UNDERSTOOD.keys.sort
    Configuration::OPTIONS.each do |option|
      words, others = NOT_UNDERSTOOD.fetch(option.type).partition { |value| value.is_a?(String) }
      sources =
        words.map { |text| [{}, { option.variable => text }] } +
          (option.keyword? ? [*words, *others, *NEVER].map { |value| [{ option.name => value }, {}] } : [])
      sources.each do |settings, environment|
        configuration = Configuration.new(settings, environment)
        same_value option.default, configuration.public_send(option.name), [settings, environment].inspect
        assert_empty configuration.given
        assert_equal 1, configuration.complaints.size, [settings, environment].inspect
        assert_match(/\Acorrect .*: it is not understood \(.+\), and ignored\z/, configuration.complaints.first)
        assert_equal 1, configuration.complaints.first.lines.size
      end
    end
  end

  test "what is a variable only is no keyword, and is not shown as one" do
    only = Configuration::OPTIONS.reject(&:keyword?)
    assert_equal %i[standby], only.map(&:name)
    only.each do |option|
      configuration = Configuration.new({ option.name => true }, {})
      assert_nil configuration.public_send(option.name)
      assert_match(/\Aremove :#{option.name} from Warmstart.setup/, configuration.complaints.join("; "))
      refute_includes Warmstart::CLI::Env.markdown, "`#{option.name}:`"
    end
  end

  test "a variable that is not understood leaves the keyword" do
    assert_equal 64, Configuration.new({ gc: 64 }, { "WARMSTART_GC" => "lots" }).gc
  end

  test "the application's folder is a keyword alone" do
    assert_equal File.expand_path("a"), Configuration.new({ root: "a" }, {}).root
    [5, "~nosuchuser", "a\0b"].each do |root|
      configuration = Configuration.new({ root: root }, {})
      assert_nil configuration.root
      assert_match(/\Acorrect root: .*: it is not understood \(a path\)/, configuration.complaints.join)
    end
  end

  # The program itself, with everything at once that nobody can understand: it runs as in plain Ruby, and one line says
  # why.
  test "a program whose settings cannot be understood runs" do
    strange = {
      "WARMSTART_CACHE_DIR" => "~nosuchuser/x",
      "WARMSTART_GC" => "\xFF",
      "WARMSTART_MAXIMUM_SIZE" => "99999999999G",
      "WARMSTART_LOG" => "\xFF\n\n",
      "WARMSTART_TWEAKS" => "\xFF",
      "WARMSTART_CONFIG" => "~nosuchuser/x"
    }
    # (Where a variable is always text, each text is a name, and nearly each one turns the log on.)
    strange = strange.except("WARMSTART_LOG", "WARMSTART_TWEAKS") if Program::WINDOWS
    program = program({ "lib/a.rb" => "A = 1\n", "main.rb" => "require 'a'\np Witness.features\n" }, load_path: %w[lib])
    [*strange.map { |name, value| { name => value } }, strange].each do |environment|
      run = program.boot(env: environment)
      assert_equal 1, run.complaints.size, environment.inspect
      assert_same_run program.plain, run.without_complaints
    end
  end

  test "setup with keywords of another class, and current folders that change" do
    program =
      program(
        {
          "Gemfile" => "",
          "a.rb" => "A = 1\n",
          "main.rb" =>
            "require #{File.join(Program::REPOSITORY, "lib/warmstart").inspect}\n" \
              "p Warmstart.setup(gc: :off, tweaks: :none, maximum_size: '256M', map: 'copy', mode: 'checked', cache_dir: 'images', nonsense: 1, log: 1.5)\n" \
              "Dir.mkdir('elsewhere')\nDir.chdir('elsewhere')\nrequire_relative 'a'\n"
        },
        env: {
          "WARMSTART_CACHE_DIR" => nil
        },
        witness: false
      )
    run = program.plain
    assert_equal ["true\n", "exit 0"], [run.stdout, run.status], run.stderr
    assert_equal 1, run.stderr.lines.size, run.stderr
    refute_empty Dir[program.path("images/*/*.manifest")]
  end

  # ---- each setting at work ----

  FILES = {
    "lib/a.rb" => "A = 1\n",
    "main.rb" => "require 'a'\np Witness.features, RubyVM::InstructionSequence.respond_to?(:load_iseq)\n"
  }.freeze

  def warm(files = FILES)
    program(files, load_path: %w[lib]).tap { |program| 2.times { program.boot } }
  end

  test "WARMSTART=0 installs nothing" do
    program = warm
    run = program.boot(env: { "WARMSTART" => "0" })
    assert_same_run program.plain, run
    assert_empty run.events
  end

  test "read-only writes nothing" do
    program = program(FILES, load_path: %w[lib])
    program.boot(env: { "WARMSTART_READONLY" => "1" })
    assert_empty Dir.children(program.cache)
  end

  test "an image of its own folder" do
    program = program(FILES, load_path: %w[lib])
    folder = File.join(program.base, "image")
    2.times { program.boot(image: folder) }
    refute_empty Dir["#{folder}/*.manifest"]
    assert_equal %w[lib/a.rb], program.boot(image: folder).hits
    assert_empty program.manifests
  end

  test "code or search alone" do
    program = warm
    run = program.boot(env: { "WARMSTART_CODE" => "0" })
    assert_empty run.events
    assert_includes run.stdout, "false\n"
    assert_equal %w[lib/a.rb], program.boot(env: { "WARMSTART_SEARCH" => "0" }).hits
  end

  test "a copy in place of a mapping" do
    assert_equal %w[lib/a.rb], warm.boot(env: { "WARMSTART_MAP" => "copy" }).hits
  end

  test "a size that nothing fits in" do
    program = program(FILES, load_path: %w[lib])
    3.times { assert_operator program.boot(env: { "WARMSTART_MAXIMUM_SIZE" => "100" }).complaints.size, :<=, 1 }
    assert_empty program.segments
  end

  test "sealed by a variable is not possible, checked is" do
    program = warm
    sealed = program.seal
    program.write("lib/a.rb", "A = 2\n")
    assert_equal %w[lib/a.rb], program.boot(image: sealed).hits
    assert_empty program.boot(image: sealed, env: { "WARMSTART_MODE" => "checked" }).hits
    assert_empty program.boot(env: { "WARMSTART_MODE" => "sealed" }).hits
  end

  test "setup with keywords, and config/warmstart.rb" do
    files = {
      "Gemfile" => "",
      "config/warmstart.rb" => "puts 'configured'\n",
      "a.rb" => "A = 1\n",
      "main.rb" =>
        "require #{File.join(Program::REPOSITORY, "lib/warmstart").inspect}\np Warmstart.setup(cache_dir: ENV['IMAGES'], stats: true), Warmstart.setup\n" \
          "require_relative 'a'\nbegin; Warmstart.session && Warmstart.unload!; p Warmstart.session; end\n"
    }
    program = program(files, env: { "WARMSTART_CACHE_DIR" => nil }, witness: false)
    run = program.plain(env: { "IMAGES" => File.join(program.base, "images") })
    assert_equal "configured\ntrue\ntrue\nnil\n", run.stdout
    refute_empty Dir[File.join(program.base, "images/*/*.manifest")]
  end

  # What an application says to Warmstart.setup, when `warmstart exec`, `build` or RUBYOPT has begun before it.
  LATE =
    "p Warmstart.setup(cache_dir: 'x', maximum_size: '1M', tweaks: [:all], frozen_string_literals: false, gc: :off, root: __dir__)\n" \
      "p Warmstart.setup(search: false), Warmstart.setup, Warmstart.setup(nonsense: 1)\n"
  TOO_LATE =
    "warmstart: set WARMSTART_CACHE_DIR, WARMSTART_GC, WARMSTART_MAXIMUM_SIZE: Warmstart is on already, so these keywords of Warmstart.setup come too late and are ignored: " \
      "cache_dir, gc, maximum_size\n"

  test "setup says whether it is on; keywords that came too late are named on stderr, once" do
    program = program({ "Gemfile" => "", "main.rb" => LATE }, witness: false, env: { "WARMSTART_CACHE_DIR" => nil })
    2.times { assert_equal ["true\ntrue\ntrue\ntrue\n", TOO_LATE], program.boot.to_h.values_at(:stdout, :stderr) }
    assert_equal ["true\ntrue\ntrue\ntrue\n", TOO_LATE.gsub(%r{ gc,| WARMSTART_GC,}, "")],
                 program.boot(env: { "WARMSTART_GC" => "1" }).to_h.values_at(:stdout, :stderr),
                 "a variable decides"
    off = program.plain(args: ["-r", File.join(Program::REPOSITORY, "lib/warmstart")], env: { "WARMSTART" => "0" })
    assert_equal ["false\nfalse\nfalse\nfalse\n", ""], off.to_h.values_at(:stdout, :stderr)
  end

  test "build hears an application's folder" do
    program =
      program(
        { "Gemfile" => "", "main.rb" => "Warmstart.setup(cache_dir: File.join(__dir__, 'x'))\n" },
        witness: false,
        env: {
          "WARMSTART_CACHE_DIR" => nil
        }
      )
    run =
      program.ruby(
        File.join(Program::REPOSITORY, "exe/warmstart"),
        "build",
        "--",
        RbConfig.ruby,
        program.path("main.rb")
      )
    assert_match(%r{\Awarmstart: built .*application/x/.*\n\z}, run.stderr)
  end

  test "the image is the application's whose config/boot.rb asks, Bundler's decorators of require or not" do
    setup = Program::SETUP.inspect
    ["require #{setup}", "Kernel.require #{setup}", "load #{setup}"].each do |line|
      files = {
        "Gemfile" => "",
        "config/boot.rb" => "require 'bundler/setup'\n#{line}\nputs Warmstart.session.directory\n",
        "main.rb" => "require_relative 'config/boot'\n"
      }
      program = program(files, env: { "WARMSTART_CACHE_DIR" => nil }, witness: false)
      assert_equal "#{program.path("tmp/cache/warmstart")}\n", program.plain.stdout, line
    end
  end

  test "unload! leaves plain Ruby" do
    program = program({ "a.rb" => "p caller(0)\n", "b.rb" => "p caller(0)\n", "main.rb" => <<~RUBY }, witness: true)
        require "a"
        Warmstart.unload! if defined?(Warmstart)
        require "b"
        p RubyVM::InstructionSequence.respond_to?(:load_iseq), method(:require).owner, Kernel.method(:require).owner, RubyVM::InstructionSequence.method(:compile_option=).arity
      RUBY

    assert_same_boots program, 3
  end

  test "boot_complete! writes at once and may be called again" do
    written = "Dir.glob(File.join(ENV.fetch('WARMSTART_CACHE_DIR'), '*', '*.manifest')).any?"
    program =
      program(
        {
          "a.rb" => "A = 1\n",
          "main.rb" =>
            "require 'a'\nWarmstart.boot_complete!\n500.times { #{written} ? break : sleep(0.02) }\nWarmstart.boot_complete!\n$stdout.flush\nexit!\n"
        },
        witness: false
      )
    program.boot
    refute_empty program.manifests
    assert_includes program.boot(env: { "WARMSTART_LOG" => "1" }).stderr, "hit #{program.path("a.rb")}"
  end

  test "a boot whose image is up to date writes nothing" do
    program = warm
    program.boot
    before = Dir["#{program.cache}/**/*"].to_h { |path| [path, [File.stat(path).mtime, File.stat(path).ino]] }
    2.times { program.boot }
    assert_equal before,
                 Dir["#{program.cache}/**/*"].to_h { |path| [path, [File.stat(path).mtime, File.stat(path).ino]] }
  end

  test "folders are 0700 and files 0600 whatever the umask" do
    program = program(FILES, load_path: %w[lib])
    program.execute(
      [
        "sh",
        "-c",
        "umask 000; exec \"$@\"",
        "sh",
        RbConfig.ruby,
        "-I",
        program.path("lib"),
        "-r",
        Program::SETUP,
        "-e",
        "require 'a'"
      ],
      env: {
        "PATH" => ENV["PATH"],
        "WARMSTART_CACHE_DIR" => program.cache
      }
    )
    Dir["#{program.cache}/*"].each { |path| assert_equal 0o700, File.stat(path).mode & 0o777 }
    files = Dir["#{program.cache}/*/*"]
    refute_empty files
    files.each { |path| assert_equal 0o600, File.stat(path).mode & 0o777, path }
  end

  test "an application's tmp and tmp/cache are as mkdir makes them" do
    skip "there are no modes" if Program::WINDOWS

    {
      "boot" => ["config/boot.rb"],
      "build" => [File.join(Program::REPOSITORY, "exe/warmstart"), "build", "--all"]
    }.each do |what, words|
      files = {
        "Gemfile" => "",
        "config/boot.rb" => "require #{Program::SETUP.inspect}\nrequire_relative \"a\"",
        "config/a.rb" => ""
      }
      app = program(files, witness: false)
      run =
        app.execute(
          ["sh", "-c", "umask 027; exec \"$@\"", "sh", RbConfig.ruby, *words],
          env: {
            "PATH" => ENV["PATH"],
            "HOME" => app.home
          }
        )
      assert_equal ["exit 0", [0o750, 0o750, 0o700]],
                   [
                     run.status,
                     %w[tmp tmp/cache tmp/cache/warmstart].map { |name| File.stat(app.path(name)).mode & 0o777 }
                   ],
                   what
    end
  end
end
