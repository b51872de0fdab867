# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/clock"
require "rbconfig"

# What a boot of 100 files costs the kernel: the very calls, seen by strace where there is one (skipped elsewhere). The
# same listing is in docs/loading.md.
class SystemCallsTest < TestCase
  COUNT = 100
  MARK = "/warmstart-mark" # stat of this name: here the requires begin and end

  FILES =
    COUNT
      .times
      .to_h { |i| ["lib/part#{i}.rb", "module Part#{i}\n  def self.answer = #{i}\nend\n"] }
      .merge("lib/again.rb" => "AGAIN = true\n", "main.rb" => <<~RUBY)
      $LOAD_PATH.unshift File.join(__dir__, "lib")
      GC.disable # (When Ruby collects depends on the lengths of paths and of the environment.)
      require "again"
      File.exist?("#{MARK}")
      #{COUNT}.times { |i| require "part\#{i}" }
      File.exist?("#{MARK}")
      puts Part99.answer, $LOADED_FEATURES.count { |path| path.start_with?(__dir__) }
    RUBY
      .freeze

  def self.strace?
    return @strace unless @strace.nil?

    @strace = system("strace", "-o", File::NULL, "true", out: File::NULL, err: File::NULL) ? true : false
  end

  def setup
    missing "there is no strace, or it may not trace" unless self.class.strace?
  end

  # Those of the memory (prctl: newer Rubies name it).
  OTHERS = %w[brk mmap munmap madvise mremap mprotect prctl].freeze

  # The calls between the marks, by the program's main thread, as [name, rest of the line]; without OTHERS.
  def calls(program, **options)
    log = File.join(program.base, "strace.txt")
    # How often the governor looks at the memory is a matter of time, and so is whether the file system answers slowly,
    # as it does under strace on a busy machine: then threads look ahead (validation_ahead.c). By the clock of our own
    # it answers at once, and no pause ends the boot.
    clock = Clock.new(File.join(program.base, "clock")).environment
    environment = { "WARMSTART_GC" => "off", **clock, **options.fetch(:env, {}) }
    run = program.traced(["strace", "-o", log], **options, env: environment)
    assert_equal "exit 0", run.status, run.stderr
    assert_equal "99\n#{COUNT + 1}\n", run.stdout
    lines = File.readlines(log)
    first, last = lines.each_index.select { |index| lines[index].include?(MARK) }
    lines[(first + 1)...last]
      .filter_map { |line| line.match(/\A(\w+)\((.*)/)&.captures }
      .reject { |name, _| OTHERS.include?(name) }
  end

  def of_files(calls) = calls.select { |_, arguments| arguments.match?(%r{/lib/part\d+\.rb"}) }

  # A program that has been recorded, and booted once more so that the index is there.
  def warm_program
    program(FILES, witness: false, load_path: []).tap { |made| 2.times { made.boot } }
  end

  test "checked: one statx a file, and whether a child has been waited for, and nothing else" do
    calls = calls(warm_program)
    assert_equal({ "statx" => COUNT }, of_files(calls).map(&:first).tally)
    assert_equal({ "getrusage" => COUNT }, (calls - of_files(calls)).map(&:first).tally)
  end

  # Whether a folder has become a link is asked of the folder, not with each of its files: as many calls as there are
  # folders. That of the load path and what lies above it are looked at with $LOAD_PATH.
  FOLDERS = 10

  def folder_calls(calls) =
    calls.filter_map { |name, arguments| arguments[/"([^"]*)"/, 1] if name == "statx" && !arguments.include?(".rb\"") }

  test "checked: files in many folders, each of which is looked at once" do
    main = FILES.fetch("main.rb").sub(/require "part.*"/) { "require \"deep/f\#{i % #{FOLDERS}}/part\#{i}\"" }
    files =
      FILES
        .transform_keys do |name|
          name.sub(/part(\d+)/) { "deep/f#{Regexp.last_match(1).to_i % FOLDERS}/#{Regexp.last_match}" }
        end
        .merge("main.rb" => main)
    ways = {
      "by name" => files,
      "by path" => files.merge("main.rb" => main.sub('require "deep', 'require_relative "lib/deep'))
    }
    ways.each do |way, written|
      calls = calls(program(written, witness: false, load_path: []).tap { |made| 2.times { made.boot } })
      asked = calls.filter_map { |name, arguments| arguments[%r{/lib/deep/f\d/part\d+\.rb}] if name == "statx" }
      assert_equal asked.uniq, asked, way
      assert_equal COUNT, asked.size
      folders = folder_calls(calls)
      assert_empty folders.tally.select { |_, count| count > 1 }, way
      assert_operator folders.grep(%r{/lib/deep/f\d\z}).size, :==, FOLDERS, way
      assert_operator folders.size - FOLDERS, :<=, 2, -> { folders.inspect }
    end
  end

  test "sealed: no call for any file" do
    program = warm_program
    sealed = program.seal(load_path: ["lib"])
    calls = calls(program, image: sealed)
    assert_empty calls
  end

  test "sealed: no call for a feature that does not exist" do
    head = "$LOAD_PATH.select! { |folder| File.directory?(folder) }\n"
    missing =
      FILES.merge(
        "main.rb" =>
          head +
            FILES
              .fetch("main.rb")
              .sub(/^\d+\.times.*$/) { |line| "#{line}\nbegin; require 'no/such/feature'; rescue LoadError; end" }
      )
    program = program(missing, witness: false, load_path: [], args: %w[--disable-gems])
    2.times { program.boot }
    asked = ->(**options) { calls(program, **options).count { |_, arguments| arguments.include?("no/such") } }
    assert_operator asked.call, :>, 1
    own =
      program
        .ruby("--disable-gems", "-e", "puts $LOAD_PATH")
        .stdout
        .lines(chomp: true)
        .select { |folder| File.directory?(folder) }
    assert_equal 0, asked.call(image: program.seal(load_path: ["lib", *own]))
  end

  test "the native way: Ruby's own calls, without its search, and that it would find the file" do
    calls = calls(warm_program, env: { "WARMSTART_DIRECT" => "0" })
    names = of_files(calls).map(&:first).tally
    assert_equal 2 * COUNT, names.fetch("openat")
    assert_equal 0, calls.count { |name, arguments| name == "openat" && arguments.include?("ENOENT") }
  end

  test "plain Ruby makes more of them" do
    program = warm_program
    assert_operator of_files(calls(program, plain: true)).size, :>=, 3 * COUNT
  end
end
