# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/command"

# Two copies of Warmstart in one process: the global one of `warmstart exec`, a binstub or RUBYOPT, and the one in the
# application's bundle, of the same version, an older or a newer one. The first one wins, without a word: the program's
# output and status are those of plain Ruby, and the first copy's image is written and used.
class TwoCopiesTest < TestCase
  include Command

  # What is different about the other copy.
  COPIES = {
    "the same" => {
    },
    "newer, with the same interface" => {
      "version.rb" => [%w[0.1.0 0.9.0]]
    },
    "newer, with another interface" => {
      "version.rb" => [%w[0.1.0 0.9.0]],
      "native.rb" => [[/interface = 0x\h+/, "interface = 0x1"]]
    },
    "with another name for a constant, and without a method" => {
      "version.rb" => [%w[0.1.0 0.0.1]],
      "boot/session.rb" => [%w[FINISH_MILLISECONDS LAST_MILLISECONDS]],
      "location.rb" => [["def library_extension", "def suffix"]]
    }
  }.freeze

  # A copy of lib/ and exe/ whose files differ as said; its folder.
  def copy(changes)
    folder = temporary_folder
    %w[lib exe].each { |name| FileUtils.cp_r(File.join(Program::REPOSITORY, name), folder) }
    changes.each do |name, replacements|
      path = File.join(folder, "lib/warmstart", name)
      text = File.read(path)
      replacements.each { |from, to| refute_equal text, text = text.gsub(from, to), "#{name}: #{from}" }
      File.write(path, text)
    end
    File.realpath(folder)
  end

  # How the first copy comes, as Ruby's options.
  FIRSTS = { "-r" => %w[-r setup], "exec" => %w[-r start] }.freeze

  MAIN = <<~RUBY
    $LOAD_PATH.unshift(ARGV[0], __dir__)
    %w[warmstart warmstart/setup warmstart/version warmstart/file_system warmstart/path warmstart/profiler warmstart/cli].each { |name| require name }
    require File.join(ARGV[0], "warmstart/setup")
    require "a"
    puts A, Warmstart.respond_to?(:boot_complete!), Warmstart::FileSystem.scan(__dir__).size, Warmstart::Path.expand("x", "/y").split(":").last, Warmstart::Profiler.respond_to?(:profile)
    Warmstart.setup(frozen_string_literals: false)
    Warmstart.boot_complete!
    exit 3
  RUBY
  OUTPUT = "a\ntrue\n2\n/y/x\ntrue\n"

  APPLICATION = {
    "a.rb" => "A = 'a'\n",
    "config/boot.rb" => "require 'bundler/setup'\nrequire 'warmstart/setup'\n",
    "main.rb" =>
      "require_relative 'config/boot'\nBundler.require\nrequire_relative 'a'\nputs A, Warmstart::FileSystem.scan(__dir__).size > 2\nWarmstart.boot_complete!\nexit 3\n"
  }.freeze

  # An application whose bundle has a copy of Warmstart as a path gem; the copy.
  def bundled(kind)
    other = copy(COPIES.fetch(kind))
    File.write(
      File.join(other, "warmstart.gemspec"),
      File.read(File.join(Program::REPOSITORY, "warmstart.gemspec")).sub(/^ *spec.extensions.*\n/, "")
    )
    gemfile = "gem 'warmstart', path: #{other.dump}, require: %w[warmstart warmstart/file_system]\n"
    [program(APPLICATION.merge("Gemfile" => gemfile), witness: false), other]
  end

  ["newer, with another interface"].each do |kind|
    test "a bundle with a copy that is #{kind}: warmstart exec, -r, RUBYOPT, a binstub and build" do
      app, other = bundled(kind)
      plain = app.ruby("-w", app.path("main.rb"), env: { "WARMSTART" => "0" })
      # (a copy with another interface complains there: ours is not its extension)
      assert_equal ["a\ntrue\n", "exit 3"], plain.to_h.values_at(:stdout, :status)
      app.ruby(WARMSTART, "binstub", "--to", app.path("stub"), RbConfig.ruby, "-w", app.path("main.rb"))
      {
        "exec" => [[WARMSTART, "exec", RbConfig.ruby, "-w", app.path("main.rb")]],
        "exec, Bundler first" => [[WARMSTART, "exec", RbConfig.ruby, "-w", "-rbundler/setup", app.path("main.rb")]],
        "-r" => [["-w", "-r", Program::SETUP, app.path("main.rb")], { "RUBYOPT" => "-rbundler/setup" }],
        "binstub" => [["-e", "exec(ARGV[0])", app.path("stub")]]
      }.each do |way, (command, env)|
        FileUtils.rm_rf(Dir[File.join(app.cache, "*")])
        assert_equal ["a\ntrue\n", "", "exit 3"],
                     app.ruby(*command, env: env || {}).to_h.values_at(:stdout, :stderr, :status),
                     way
        refute_empty app.manifests, way
        log = app.ruby(*command, env: { **env.to_h, "WARMSTART_LOG" => "1" }).stderr
        assert_match(/^warmstart: hit #{Regexp.escape(app.path("a.rb"))}$/, log, way)
        refute_match(%r{^warmstart: (?:hit|miss) #{Regexp.escape(other)}/lib/warmstart/boot/session\.rb}, log, way)
      end
      app.write("main.rb", APPLICATION["main.rb"].sub("exit 3", "exit 0"))
      built = app.ruby(WARMSTART, "build", "--", RbConfig.ruby, "-w", app.path("main.rb"))
      assert_equal ["a\ntrue\n", "exit 0"], [built.stdout, built.status], built.stderr
      assert_match(/\Awarmstart: built .*\n\z/, built.stderr)
    end
  end

  def run_both(program, option, other, first: File.join(Program::REPOSITORY, "lib"), warnings: "-w", env: {})
    program.ruby(
      warnings,
      "-r",
      File.join(first, "warmstart", option),
      program.path("main.rb"),
      File.join(other, "lib"),
      env: env
    )
  end

  FIRSTS.each do |name, (_, file)|
    COPIES.each do |kind, changes|
      test "#{name}: the other copy is #{kind}" do
        program = program({ "a.rb" => "A = 'a'\n", "main.rb" => MAIN }, witness: false)
        other = copy(changes)
        2.times do
          assert_equal [OUTPUT, "", "exit 3"], run_both(program, file, other).to_h.values_at(:stdout, :stderr, :status)
        end
        assert_equal 1, program.manifests.size
        log = run_both(program, file, other, env: { "WARMSTART_LOG" => "1" }).stderr
        assert_match(/^warmstart: hit #{Regexp.escape(program.path("a.rb"))}$/, log)
      end

      test "#{name}: the first copy is #{kind}, and this one comes second" do
        program = program({ "a.rb" => "A = 'a'\n", "main.rb" => MAIN }, witness: false)
        first =
          File.join(
            copy(
              changes.except("location.rb").transform_values { |list| list.reject { |from, _| from.is_a?(Regexp) } }
            ),
            "lib"
          )
        2.times do
          assert_equal [OUTPUT, "", "exit 3"],
                       run_both(program, file, Program::REPOSITORY, first: first).to_h.values_at(
                         :stdout,
                         :stderr,
                         :status
                       )
        end
        assert_equal 1, program.manifests.size
      end
    end
  end

  test "the gemspec of a second copy (a path in the Gemfile) says its own version, without a warning" do
    program =
      program({ "main.rb" => "puts Gem::Specification.load(ARGV[0]).version, Warmstart::VERSION\n" }, witness: false)
    other = copy(COPIES["newer, with another interface"])
    FileUtils.cp(File.join(Program::REPOSITORY, "warmstart.gemspec"), other)
    run =
      program.ruby(
        "-w",
        "-r",
        File.join(Program::REPOSITORY, "lib/warmstart/start"),
        program.path("main.rb"),
        File.join(other, "warmstart.gemspec")
      )
    assert_equal ["0.9.0\n0.1.0\n", "", "exit 0"], [run.stdout, run.stderr, run.status]
  end

  test "off: both are, without a word" do
    program = program({ "a.rb" => "A = 'a'\n", "main.rb" => MAIN }, witness: false)
    other = copy(COPIES["newer, with another interface"])
    run = run_both(program, "setup", other, env: { "WARMSTART" => "0" })
    assert_equal [OUTPUT, "", "exit 3", 0], [run.stdout, run.stderr, run.status, program.manifests.size]
  end

  test "warmstart exec inside of another copy's warmstart exec: the collector is as usual at the end" do
    program =
      program(
        { "a.rb" => "A = 'a'\n", "main.rb" => "require_relative 'a'\nputs A, GC.enable\nGC.start\n" },
        witness: false
      )
    other = copy(COPIES["newer, with another interface"])
    2.times do
      run =
        program.ruby(
          WARMSTART,
          "exec",
          RbConfig.ruby,
          File.join(other, "exe/warmstart"),
          "exec",
          RbConfig.ruby,
          program.path("main.rb")
        )
      assert_equal ["a\nfalse\n", "", "exit 0"], [run.stdout, run.stderr, run.status]
    end
  end

  test "the command line of the second copy, where the first one is at work, is the first one's" do
    program = program({ "main.rb" => "" }, witness: false)
    other = copy("version.rb" => [%w[0.1.0 0.9.0]])
    run =
      program.ruby(
        "-w",
        "-r",
        File.join(Program::REPOSITORY, "lib/warmstart/start"),
        File.join(other, "exe/warmstart"),
        "--version"
      )
    assert_equal ["warmstart 0.1.0\n", "", "exit 0"], [run.stdout, run.stderr, run.status]
  end

  test "the profiler of one copy, the accelerator of another" do
    program = program({ "a.rb" => "A = 'a'\n", "main.rb" => MAIN }, witness: false)
    other = copy(COPIES["newer, with another interface"])
    run =
      program.ruby(
        File.join(Program::REPOSITORY, "exe/warmstart"),
        "profile",
        "--",
        RbConfig.ruby,
        "-w",
        program.path("main.rb"),
        File.join(other, "lib")
      )
    assert_equal [OUTPUT, "exit 3"], [run.stdout[0, OUTPUT.size], run.status], run.stderr
    refute_match(/already initialized|another version|redefined/, run.stderr)
  end
end
