# frozen_string_literal: true

require_relative "test_helper"

# A program that has loaded little stays little: whatever it makes and drops, its peak is at most twice what it is in
# plain Ruby, while it records and from the image. (docs/gc.md says how the end of a boot is told.)
class SmallProgramsTest < TestCase
  STRINGS = "100_000.times { 'x' * (16 << 10) }\n"

  # Each is a whole program; at its end it prints its peak in kilobytes.
  PROGRAMS = {
    "Strings in a loop" => STRINGS,
    "Strings in a loop after requires" =>
      "%w[set json erb optparse time tempfile].each { |name| require name }\n#{STRINGS}",
    "Strings that grow" => "3000.times { text = +''; 600.times { text << 'abcdefghij' * 100 } }\n",
    "large Arrays" => "1500.times { Array.new(200_000, 1) }\n",
    "many short objects" => "6_000_000.times { Object.new }\n",
    "Hashes" => "300_000.times { |i| { a: i, b: [i], c: i.to_s } }\n",
    "a thread" => "Thread.new { #{STRINGS.chomp} }.join\n",
    "a file every so often" => "40.times { |i| require \"parts/part\#{i}\"; 1000.times { 'x' * (16 << 10) } }\n",
    "a memory-leak test" => <<~RUBY,
      code = proc { 200.times { 'x' * (16 << 10) } }
      20.times(&code)
      before = File.read("/proc/self/status")[/VmRSS:\s+(\d+)/, 1].to_i
      1000.times(&code)
      after = File.read("/proc/self/status")[/VmRSS:\s+(\d+)/, 1].to_i
      abort "leaks: \#{before} kB, \#{after} kB" if after > before * 2
    RUBY
    "a tool that parses a file" => <<~'RUBY',
      require "json"
      require "optparse"
      OptionParser.new.parse(ARGV)
      counts = Hash.new(0)
      30.times { File.foreach("#{__dir__}/rows.json") { |line| counts[JSON.parse(line)["name"]] += 1 } }
    RUBY
    "much that is kept" => "KEPT = Array.new(6000) { 'x' * (16 << 10) }\n",
    "garbage at the end" => "at_exit { puts peak }\nat_exit { #{STRINGS.chomp} }\n"
  }.freeze

  FILES = {
    **(0...40).to_h { |i| ["parts/part#{i}.rb", "PART#{i} = #{i}\n"] },
    "rows.json" => (0...4000).map { |i| %({"name":"n#{i % 50}","list":[#{i},2,3],"text":"#{"ab" * 100}"}\n) }.join
  }.freeze

  # How much memory Strings may take before Ruby collects: always the same. By default it grows and shrinks with what they
  # have taken, by as much as a half, so that a program's peak depends on where it stands when the program ends.
  LIMITS =
    %w[RUBY_GC_MALLOC_LIMIT RUBY_GC_OLDMALLOC_LIMIT]
      .flat_map { |name| [name, "#{name}_MAX"] }
      .to_h { |name| [name, (16 << 20).to_s] }
      .freeze

  # Kilobytes: what Warmstart itself takes, and what a program makes between two looks of the governor.
  OWN = 6 << 10

  PEAK = "def peak = File.read('/proc/self/status')[/VmHWM:\\s+(\\d+)/, 1]\n"

  PROGRAMS.each do |name, text|
    test "#{name}: not much more memory" do
      skip "the peak is read from /proc" unless File.exist?("/proc/self/status")
      files = { **FILES, "main.rb" => "#{PEAK}#{text}#{"puts peak\n" unless text.include?("peak")}" }
      program = program(files, args: %w[--disable-gems], witness: false, env: LIMITS)
      plain = peak(program.plain)
      boots = %i[recording warm known].to_h { |boot| [boot, peak(program.boot)] }
      boots.each { |boot, size| assert_operator size, :<=, (2 * plain) + OWN, boot.to_s }
    end
  end

  def peak(run)
    assert_equal ["", "exit 0"], [run.stderr, run.status]
    run.stdout.to_i
  end
end
