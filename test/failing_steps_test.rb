# frozen_string_literal: true

require_relative "test_helper"

# Whatever step of setup, of the boot's end and of the program's end fails, and however: the program is as in plain
# Ruby, and there is one line on stderr at most (test/support/failing_steps.rb finds the steps and makes each fail).
# Here a share of them is tried, always the same; WARMSTART_FAILING_STEPS=all tries each with each kind of failure, a
# number another share (docs/security.md: in pieces).
class FailingStepsTest < TestCase
  STEPS = File.join(Program::SUPPORT, "failing_steps.rb")
  LIBRARY = File.join(Program::REPOSITORY, "lib/warmstart")
  SHARE = ENV.fetch("WARMSTART_FAILING_STEPS", "").then { |text| text == "all" ? 1 : text.to_i }
  # Which of the steps these are.
  SEED = ENV.fetch("WARMSTART_FAILING_STEPS_SEED", "0").to_i

  FILES = {
    "a.rb" => "A = [1]\n",
    "later.rb" => "Later = __FILE__\n",
    "config/settings.rb" => "SETTINGS = true\n",
    # As Rails and Puma have them: what they tell us, they tell in the boot.
    "lib/active_support/lazy_load_hooks.rb" => <<~RUBY,
      module ActiveSupport
        def self.on_load(name, &block) = (@blocks ||= Hash.new { |hash, key| hash[key] = [] })[name] << block
        def self.run_load_hooks(name, base = self) = (@blocks || {})[name]&.each { |block| base.instance_eval(&block) }
        def self.rake_tasks(&block) = (@tasks ||= []) << block
      end
    RUBY
    "lib/puma/server.rb" => "module Puma\n  class Server\n    def run = :serving\n  end\nend\n",
    "main.rb" => <<~RUBY
      $LOAD_PATH.unshift(File.join(__dir__, "lib"))
      require_relative "a"
      require "puma/server"
      require "active_support/lazy_load_hooks"
      autoload :Later, File.join(__dir__, "later.rb")
      %i[before_configuration before_initialize before_eager_load after_initialize].each { |name| ActiveSupport.run_load_hooks(name) }
      p A, Later, GC.stress, $LOADED_FEATURES.grep(/later/).size, Puma::Server.new.run
      at_exit { puts "bye" }
    RUBY
  }.freeze

  def survives(files, share, *arguments, setup: "#{LIBRARY}/setup.rb", plain: "-", env: {})
    skip "there is no fork" unless Process.respond_to?(:fork)

    share = SHARE if SHARE.positive?
    program = program(files, witness: false)
    program.age
    run = program.ruby(*arguments, STEPS, program.folder, setup, plain, share.to_s, SEED.to_s, env: env, timeout: 3600)
    puts run.stdout.lines.last if SHARE.positive? # (bin/deep counts them)
    about = "WARMSTART_FAILING_STEPS_SEED=#{SEED}\n#{run.stdout}#{run.stderr}"
    assert_equal "exit 0", run.status, about
    assert_match(/\A[1-9]\d+ steps, [1-9]\d* tried, 0 failed\z/, run.stdout.lines(chomp: true).last, about)
  end

  test "every step of a boot without gems" do
    survives(FILES, 24, "--disable-gems")
  end

  test "every step of a boot that begins before RubyGems" do
    survives(FILES, 90, "--disable-gems", setup: "#{LIBRARY}/before_rubygems/rubygems.rb", plain: "rubygems")
  end

  test "every step of a boot with gems, Bundler and all settings" do
    survives(
      { "Gemfile" => "", "main.rb" => "require 'bundler/setup'\n#{FILES["main.rb"]}" }.merge(FILES.except("main.rb")),
      90,
      env: {
        "WARMSTART_FROZEN_STRING_LITERALS" => "1",
        "WARMSTART_STATS" => nil,
        "BUNDLE_GEMFILE" => nil
      }
    )
  end

  # It compiles some of what is right in every other way (a list after `rescue`, two splats in one call).
  test "the experimental Prism of Ruby 3.3" do
    skip "only Ruby 3.3 has it beside the usual parser" unless Program::RUBY_NUMBER.segments.first(2) == [3, 3]

    program =
      program(
        { "a.rb" => "A = 1\n", "main.rb" => "require_relative 'a'\np A\n" },
        args: %w[-W0 --parser=prism],
        witness: false
      )
    assert_same_boots program, 3
  end

  # What is written by the program's own thread (records) as well as by the one that writes the image.
  test "under a limit on the size of files nothing is recorded, and the program goes on" do
    skip "there is no such limit" unless Process.const_defined?(:RLIMIT_FSIZE)

    program = program({ "a.rb" => "A = 1\n", "Gemfile" => "", "main.rb" => <<~RUBY }, witness: false)
      Process.setrlimit(Process::RLIMIT_FSIZE, 1, 1)
      require_relative "a"
      answer = Warmstart::Native.write_record(Warmstart::Native.key_hash("x"), "x" * 5000) if defined?(Warmstart)
      p answer ? answer.first : :full, trap("XFSZ", "DEFAULT")
    RUBY

    plain, silent, run = program.plain, program.boot, program.boot(env: { "WARMSTART_LOG" => "1" })
    [silent, run].each { |boot| assert_equal [plain.stdout, "exit 0"], [boot.stdout, boot.status], boot.stderr }
    assert_match(/^warmstart: cannot write .*: File too large; nothing was recorded/, run.stderr)
    assert_empty silent.stderr
  end

  def interposer(folder)
    library = File.join(folder, "failing_memory.so")
    skip "requests for memory can be refused with glibc only" unless RUBY_PLATFORM.include?("linux")
    source = File.join(Program::SUPPORT, "failing_memory.c")
    built = system("cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl", err: File::NULL)
    missing "a C compiler and glibc, by which requests for memory are refused" unless built
    library
  end

  # A share of the requests that the extension makes in a first and in a later boot; WARMSTART_FAILING_STEPS=all: each.
  test "a request for memory that is refused costs a record, or the image's use, and nothing else" do
    program = program(FILES, witness: false)
    library = interposer(program.base)
    count = File.join(program.base, "count")
    plain = program.plain
    program.boot
    { "cold" => 10, "warm" => 10 }.each do |kind, tries|
      boot = ->(number) { memory_boot(program, library, kind, number, count) }
      boot.call(-1)
      requests = File.read(count).to_i
      assert_operator requests, :>, 20, kind
      random = Random.new(SEED)
      numbers = SHARE == 1 ? 0...requests : Array.new(tries) { random.rand(requests) }.uniq
      numbers.each do |number|
        run = boot.call(number)
        about = "#{kind} boot, request #{number} of #{requests}, WARMSTART_FAILING_STEPS_SEED=#{SEED}: #{run.stderr}"
        assert_equal [plain.stdout, "exit 0"], [run.stdout, run.status], about
        assert_operator run.stderr.lines.size, :<=, 1, about
      end
    end
  end

  def memory_boot(program, library, kind, number, count)
    FileUtils.rm_rf(File.join(program.base, "cold"))
    cache = kind == "cold" ? File.join(program.base, "cold") : program.cache
    program.boot(
      env: {
        "LD_PRELOAD" => library,
        "FAILING_MEMORY" => number.to_s,
        "FAILING_MEMORY_COUNT" => count,
        "WARMSTART_CACHE_DIR" => cache
      }
    )
  end
end
