# frozen_string_literal: true

require "pathname"
require "tmpdir"
require_relative "test_helper"

# What a warm boot of 500 files costs, in figures that do not depend on the machine's mood: instructions (callgrind),
# system calls (strace), objects and bytes of the image. A change that costs more than TOLERANCE has to say so here. The
# collector is off, because when it runs is chance.
class CostsTest < TestCase
  TOLERANCE = 1.03

  # By Ruby's version and platform, as Debian and RubyInstaller build it. Every other Ruby has other figures.
  RECORDED = {
    "3.1.2 x86_64-linux-gnu" => {
      instructions: 234_000_000,
      system_calls: 2_787,
      objects: 46_350,
      image: 4_057_000
    },
    "3.3.8 x86_64-linux-gnu" => {
      system_calls: 2_691,
      objects: 66_714,
      image: 4_073_000
    },
    "3.4.11 x86_64-linux-gnu" => {
      system_calls: 2_731,
      objects: 66_712,
      image: 4_047_000
    }
  }.freeze

  # These wait for something or wake somebody, so their number is chance.
  WAITING = %w[futex clock_nanosleep sched_yield restart_syscall rt_sigreturn ppoll poll read write].freeze

  # (Ruby asks for each folder above a file: how many there are is not ours.)
  ABOVE =
    [Program::REPOSITORY, File.join(File.realpath(Dir.tmpdir), "folder")].flat_map do |path|
        Pathname(path).ascend.drop(1).map(&:to_s)
      end
      .freeze

  GEMS, FILES = 20, 24

  # (Also in bin/deep, whose programs have RubyGems otherwise.)
  def self.with_rubygems? = false

  def self.files
    random = Random.new(1)
    method = ->(number) do
      "  def m#{number}(a, b = #{number}, *c, k: :v#{random.rand(50)}, **o)\n    return [a, b, \"s#{random.rand(100)} \#{c}\"] if a\n    o.map { |x, y| x.to_s + y.inspect }\n  end\n"
    end
    gems =
      Array.new(GEMS) do |gem|
        parts =
          Array.new(FILES) do |part|
            [
              "gem#{gem}/lib/g#{gem}/f#{part}.rb",
              "module G#{gem}\n class C#{part}\n#{Array.new(10 + random.rand(10), &method).join} end\nend\n"
            ]
          end
        [
          [
            "gem#{gem}/lib/g#{gem}.rb",
            "module G#{gem}; end\n#{Array.new(FILES) { |part| "require \"g#{gem}/f#{part}\"\n" }.join}"
          ],
          *parts
        ]
      end
    names =
      Array.new(GEMS) { |gem| "$LOAD_PATH.unshift File.join(__dir__, \"gem#{gem}/lib\")\n" } +
        Array.new(GEMS) { |gem| "require \"g#{gem}\"\n" }
    {
      **gems.flatten(1).to_h,
      "off.rb" => "GC.disable\n",
      "main.rb" => "#{names.join}p GC.stat(:total_allocated_objects)\n"
    }
  end

  def program
    @program ||=
      super(self.class.files, args: %w[-r ./off], witness: false).tap { |program| 3.times { run_under(program, []) } }
  end

  def run_under(program, tracer)
    run = program.traced(tracer)
    assert_equal "exit 0", run.status, run.stderr
    run
  end

  def assert_costs(kind, now)
    recorded = RECORDED.dig("#{RUBY_VERSION} #{RUBY_PLATFORM}", kind) or
      skip "nothing is recorded of this Ruby (#{kind}: #{now})"
    assert_operator now, :>, recorded / 2, "#{kind}: so little cannot be: nothing was counted"
    limit = (recorded * TOLERANCE).to_i
    assert_operator now,
                    :<=,
                    limit,
                    "#{kind}: #{now}, recorded are #{recorded}. If it is worth that, write the new figure into RECORDED"
  end

  test "instructions" do
    missing "there is no valgrind" unless system("valgrind", "--version", %i[out err] => File::NULL)
    run = run_under(program, ["valgrind", "--tool=callgrind", "--callgrind-out-file=#{program.path("out")}"])
    assert_costs :instructions, run.stderr[/Collected : (\d+)/, 1].to_i
  end

  test "system calls" do
    missing "there is no strace" unless system("strace", "-V", %i[out err] => File::NULL)
    run_under(program, ["strace", "-f", "-qq", "-o", program.path("out"), "-e", "trace=!#{WAITING.join(",")}"])
    assert_costs :system_calls,
                 File.readlines(program.path("out")).count { |line| !ABOVE.include?(line[/"([^"]*)"/, 1]) }
  end

  test "objects" do
    assert_costs :objects, run_under(program, []).stdout.to_i
  end

  test "bytes of the image" do
    program
    assert_costs :image, Dir[File.join(program.cache, "**/*.segment")].sum { |path| File.size(path) }
  end
end
