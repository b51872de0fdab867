# frozen_string_literal: true

require_relative "test_helper"
require_relative "../ext/compile_library"

# What `-r warmstart/setup` costs a program that does nothing: the files that are loaded for it, and the system calls,
# seen by strace. Whoever adds to either finds out here.
class StartCostTest < TestCase
  # Those that Ruby itself loads of lib/, with the extension; the rest comes as it was compiled beside the extension.
  FIRST = %w[first].freeze
  LAST = %w[setup].freeze

  LIBRARY = File.join(Program::REPOSITORY, "lib")

  def loaded(env = {})
    program =
      program({ "main.rb" => "puts $LOADED_FEATURES.grep(%r{\\A#{Regexp.escape(LIBRARY)}/})\n" }, witness: false)
    run = program.boot(env: env)
    assert_equal "exit 0", run.status
    run
      .stdout
      .lines(chomp: true)
      .grep(/\.rb\z/)
      .map do |path|
        path
          .delete_prefix("#{LIBRARY}/")
          .delete_prefix("warmstart/")
          .delete_suffix(".rb")
          .sub(/\Awarmstart\z/, "../warmstart")
      end
  end

  test "files that are loaded" do
    native, *others = CompiledLibrary::FILES
    assert_equal [native, *FIRST, *others, *LAST], loaded
    assert_equal %w[native first failsafe api ../warmstart file_names configuration setup], loaded("WARMSTART" => "0")
  end

  test "without what was compiled, the same files" do
    assert_equal [*FIRST, *CompiledLibrary::FILES, *LAST].sort, loaded("WARMSTART" => "1").sort
    needless = %w[boot/gc_governor]
    assert_equal (CompiledLibrary::FILES + FIRST + LAST - needless).sort,
                 loaded("WARMSTART" => "1", "WARMSTART_GC" => "off").sort
  end

  BEGUN = <<~RUBY
    $compiled = []
    TracePoint.new(:script_compiled) { |point| $compiled << point.instruction_sequence.path }.enable if ENV["LISTEN"]
    $objects = GC.stat(:total_allocated_objects)
  RUBY

  # What setup has allocated, or which files Ruby has compiled meanwhile.
  def since_begun(env = {})
    program =
      program(
        {
          "begun.rb" => BEGUN,
          "look.rb" => "puts GC.stat(:total_allocated_objects) - $objects, $compiled",
          "main.rb" => ""
        },
        witness: false
      )
    program.age
    runs =
      Array.new(3) do
        program.ruby(
          "-r",
          program.path("begun.rb"),
          "-r",
          Program::SETUP,
          "-r",
          program.path("look.rb"),
          program.path("main.rb"),
          env: env
        )
      end
    assert_equal ["exit 0", ""], [runs.last.status, runs.last.stderr]
    runs.last.stdout.lines(chomp: true)
  end

  # Where there are boxes, warmstart/first leaves all to warmstart/native, which Ruby loads: one file more.
  NATIVE = defined?(Ruby::Box) ? 1 : 0

  test "files that Ruby compiles" do
    _, *compiled = since_begun("LISTEN" => "1")
    assert_equal ["setup", "first", *["native"].first(NATIVE)].map { |name|
                   File.join(LIBRARY, "warmstart/#{name}.rb")
                 },
                 compiled.grep(/#{Regexp.escape(LIBRARY)}/)
  end

  # (Each folder in which the program lies costs some: names are taken apart.)
  test "objects that are allocated" do
    limit = (Program::RUBY_NUMBER < "3.2" ? 5429 : 6429) + (NATIVE * 75) + (12 * Dir.tmpdir.count("/"))
    assert_operator since_begun.first.to_i, :<=, limit
  end

  # Calls beside those for each file of CompiledLibrary, and for the search for an application. (Up to 3.1 Ruby's own
  # search makes more of them, and up to 3.3 its loader: it reads a file in more pieces, and asks for users and groups.)
  OTHER_CALLS = { "3.1" => 84, "3.3" => 81 }.fetch(RUBY_VERSION[/\d+\.\d+/], 74 + (NATIVE * 10))

  # How often the true path of one file or folder is asked for. (One readlink for each folder in which it lies, in
  # libc's realpath: how many that are depends on where the test is made.)
  TRUE_PATHS = Program::RUBY_NUMBER < "3.2" ? 5 : 3 + NATIVE

  # The memory's own and the clock's, which depend on the state of the heap.
  UNSTEADY = %w[brk mmap munmap madvise mremap mprotect getrusage clock_gettime futex].freeze

  # [[name, rest of the line], ...] of the main thread.
  def calls(program, **options)
    log = File.join(program.base, "strace.txt")
    run = program.traced(["strace", "-s", "4096", "-o", log], **options)
    assert_equal "exit 0", run.status, run.stderr
    File.readlines(log).filter_map { |line| line.match(/\A(\w+)\((.*)/)&.captures }
  end

  # Without those that read limits of control groups: how many groups lie above a process is the machine's business.
  def without_control_groups(calls)
    file = nil
    calls.reject do |name, rest|
      if file && rest.start_with?("#{file},", "#{file})")
        file = nil if name == "close"
        next true
      end
      next false unless name == "openat" && rest.include?('"/sys/fs/cgroup')

      file = rest[/ = (\d+)\z/, 1]
      true
    end
  end

  # Without those that look for an application in all folders above the program.
  def without_search(calls) = calls.reject { |_, rest| rest.match?(%r{/(?:Gemfile|gems\.rb|config/application\.rb)"}) }

  def opened(calls) = calls.filter_map { |name, rest| rest[/"([^"]*)"/, 1] if name == "openat" }

  test "system calls" do
    missing "there is no strace that may trace here" unless system("strace", "-o", File::NULL, "true", err: File::NULL)

    program = program({ "a.rb" => "A = 1\n", "main.rb" => "require 'a'\n" }, witness: false, args: %w[--disable-gems])
    main = program.path("main.rb")
    3.times { program.boot }
    program.write("main.rb", "")
    program.age
    plain, warm = calls(program, plain: true), calls(program)
    others = (opened(warm) - opened(plain)).reject { |path| path.start_with?(LIBRARY) || path == main }
    image, rest =
      others.partition { |path| path.match?(/(?:\A#{Regexp.escape(program.cache)}|\.(?:manifest|segment)\z)/) }
    assert_equal 3, image.size, image.inspect
    assert_empty rest.grep_v(%r{\A/(?:proc|sys/fs/cgroup)/}), "opens files of others"
    assert_operator rest.size, :<=, 12
    steady =
      [warm, plain].map do |list|
          without_search(without_control_groups(list)).count { |name, _| ![*UNSTEADY, "readlink"].include?(name) }
        end
        .reduce(:-)
    assert_operator steady, :<=, CompiledLibrary::FILES.size + OTHER_CALLS
    links =
      [warm, plain].map { |list| list.filter_map { |name, rest| rest[/"([^"]*)"/, 1] if name == "readlink" }.tally }
    assert_empty links.first.select { |path, count| count - links.last.fetch(path, 0) > TRUE_PATHS }
    assert_operator warm.size - plain.size, :<=, 220
  end
end
