# frozen_string_literal: true

require_relative "test_helper"
require_relative "attack/runner"

# The attack itself (bin/attack): that it sees what goes wrong, and says how to see it again.
class AttackTest < TestCase
  # A section whose even cases are not survived, in several ways.
  class Sample < Attack::Section
    SLICE = 7

    def play(id)
      case id
      when "0"
        failed("the answer is another\nmore")
      when "2"
        raise "a mistake of the attack's own"
      when "4"
        Process.exit!(3)
      else
        random(id).rand
      end
    end
  end

  def attack(*arguments) = Open3.capture3(RbConfig.ruby, File.join(Program::REPOSITORY, "bin/attack"), *arguments)

  def run_sample(jobs:, **options)
    shown = []
    [Attack::Runner.new(Sample, seed: 1, jobs: jobs, **options).run { |failure| shown << failure[:id] }, shown]
  end

  test "failures, mistakes and dead workers are counted and shown" do
    result, shown = run_sample(jobs: 2)
    assert_equal %w[0 2 4], shown.sort
    assert_equal({ tries: 7, failed: 3, survived: 4 }, result.slice(:tries, :failed, :survived))
    messages = result[:failures].to_h { |failure| failure.values_at(:id, :message) }
    assert_equal "the answer is another", messages["0"]
    assert_match(/the attack itself: RuntimeError: a mistake/, messages["2"])
    assert_match(/a worker ended \(.*exit 3\)/, messages["4"])
  end

  test "one case by its id" do
    result, = run_sample(jobs: 2, only: "3")
    assert_equal({ tries: 1, failed: 0 }, result.slice(:tries, :failed))
  end

  test "what was interrupted goes on from the first case that is left" do
    interrupted =
      Attack::Runner
        .new(Sample, seed: 1, jobs: 1)
        .run do
          Thread.main.raise(Interrupt)
          sleep
        end
    assert_equal [1, "1"], interrupted.values_at(:tries, :interrupted)
    result, = run_sample(jobs: 2, from: "3")
    assert_equal({ tries: 4, failed: 1 }, result.slice(:tries, :failed))
    assert_raises(Attack::Runner::NoSuchCase) { run_sample(jobs: 1, from: "9") }
  end

  test "a case follows from the seed and its id" do
    numbers =
      [["1", 1], ["1", 1], ["2", 1], ["1", 2]].map do |id, seed|
        Sample.new(seed: seed, base: "/").send(:random, id).rand(1 << 60)
      end
    assert_equal numbers[0], numbers[1]
    assert_equal 3, numbers.uniq.size
  end

  test "a program that differs, complains twice or hangs is seen" do
    section = Sample.new(seed: 1, base: "/")
    plain = Program::Run.new(stdout: "a\n", stderr: "", status: "exit 0", state: "", events: [])
    same = ->(**changes) do
      section.send(:same, plain, plain.dup.tap { |run| changes.each { |key, value| run[key] = value } }, "now")
    end
    same.call(stderr: "warmstart: once\n")
    {
      "differs" => {
        stdout: "b\n"
      },
      "status" => {
        status: "signal KILL"
      },
      "features" => {
        state: "feature: x"
      },
      "twice" => {
        stderr: "warmstart: a\nwarmstart: b\n"
      },
      "two lines of one message" => {
        stderr: "warmstart: a\nb\n"
      },
      "hangs" => {
        status: "no answer in 60 s"
      }
    }.each { |what, changes| assert_raises(Attack::Failed, what) { same.call(**changes) } }
  end

  # What the core and the bindings import from the C library and cannot fail, or not so that anybody could tell.
  INNOCENT =
    /\A(?:mem|str(?!dup)|__|_|pthread_(?!create)|sig|get(?:auxval|egid|env|euid|gid|pid|uid|rlimit|rusage)\b|clock_gettime|time\b|closedir|dlclose|fflush|free|mallinfo|malloc_trim|nanosleep|personality|qsort
                  |raise|snprintf|stderr|stdout|abort|environ|fprintf|fputs|fwrite|dladdr|dl_iterate_phdr|dlsym|sem_(?:post|destroy)|secure_getenv|syscall|usleep|sched_yield|localtime_r|gmtime_r|vsnprintf|exit)/x

  test "every call of Warmstart's that can fail is on the list of faults" do
    require_relative "attack/interposer"
    missing("nm") unless system("nm", "--version", out: File::NULL)
    symbols = ->(path, *options) do
      IO.popen(["nm", "-D", *options, path], &:read).scan(%r{ [TUWiw] (\w+)}).flatten.uniq
    end
    native =
      Dir[
        File.join(Program::REPOSITORY, "lib/warmstart/native/ruby-#{RUBY_VERSION[/\A\d+\.\d+/]}-*/warmstart.so")
      ].first
    imported = symbols.call(native, "--undefined-only").grep_v(/\A(?:rb_|ruby_|onig|Init_|st_)/)
    met = symbols.call(Attack::Interposer.library, "--defined-only")
    assert_includes met, "openat"
    assert_empty imported - met - imported.grep(INNOCENT),
                 "these are to be added to test/attack/faults.c (or to INNOCENT)"
  end

  test "the call that is asked for fails, and no other" do
    require_relative "attack/interposer"
    folder = temporary_folder
    interposer = Attack::Interposer.new(File.join(folder, "faults"))
    program =
      program(
        {
          "main.rb" => "require 'a'\nFile.read(__FILE__)\np ENV.keys.grep(/ATTACK|LD_PRELOAD/)\n",
          "lib/a.rb" => "A = 1\n"
        },
        load_path: ["lib"],
        witness: false # (the load path is not long, so that there is one lock)
      )
    program.boot(env: interposer.environment.compact)
    calls = interposer.log
    assert_equal calls.size, interposer.count
    assert_nil interposer.hit
    at = calls.index("flock") + 1
    interposer.arm(at, error: Errno::EIO, counted: ["flock"])
    program.boot(env: interposer.environment.compact)
    assert_nil interposer.hit, "fewer locks than calls"
    FileUtils.rm_rf(Dir[File.join(program.cache, "*")])
    interposer.arm(1, error: Errno::EIO, counted: ["flock"])
    run = program.boot(env: interposer.environment.compact)
    assert_equal [1, "flock"], interposer.hit.to_a.first(2)
    assert_equal ["exit 0", "[]\n"], [run.status, run.stdout]
    assert_empty program.manifests, "nothing is written without a lock"
    interposer.arm(1, action: :kill, counted: ["openat"])
    assert_equal "signal KILL", program.boot(env: interposer.environment.compact).status
  end

  test "arguments that make no sense: one line, status 2" do
    [
      %w[nosuch],
      %w[--bogus],
      %w[--only 3],
      %w[names kills --only 3],
      %w[--from 3],
      %w[names --from x],
      %w[names --count x],
      %w[names --count 0]
    ].each do |arguments|
      output, errors, status = attack(*arguments)
      assert_equal ["", 1, 2], [output, errors.lines.size, status.exitstatus], "#{arguments}: #{errors}"
      assert_match(%r{\Abin/attack: }, errors)
    end
  end

  test "a section's cases, as text and as JSON" do
    output, errors, status = attack("names", "--count", "2", "--seed", "3")
    assert_equal [0, ""], [status.exitstatus, errors], output
    assert_match(/^names: 2 tries, 2 survived, 0 failed, \d+ s$/, output)
    require "json"
    result = JSON.parse(attack("names", "--only", "1", "--json").first)
    assert_equal [1, 0, []], result["sections"].first.values_at("tries", "failed", "failures")
  end
end
