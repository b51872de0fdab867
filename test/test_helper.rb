# frozen_string_literal: true

# What all tests share: `test "sentence" do`, programs that run in processes of their own, and the comparison of a
# program's behaviour with Warmstart and without.
require "minitest"
require "open3"
require_relative "support/program"
require_relative "support/windows"

# A warning from our own code is a failure.
module WarningsRaise
  def warn(message, *, **)
    raise "warning: #{message}" if message.include?(Program::REPOSITORY)

    super
  end
end
$VERBOSE = true
Warning.extend(WarningsRaise)

class TestCase < Minitest::Test
  class << self
    def test(sentence, &body)
      name = "test_#{sentence.gsub(/\W+/, "_")}"
      raise ArgumentError, "two tests are called #{sentence.inspect}" if method_defined?(name)

      reason = WindowsTests.test_reason(caller_locations(1, 1).first.absolute_path, sentence)
      reason ? define_method(name) { skip reason } : define_method(name, &body)
    end
  end

  def before_setup
    super
    @folders = []
  end

  def after_teardown
    super
    @folders.each { |folder| FileUtils.rm_rf(folder) }
    if assertions.zero? && failures.empty?
      self.failures << Minitest::Assertion.new("the test asserts nothing").tap { |e| e.set_backtrace([]) }
    end
  end

  def temporary_folder
    Dir.mktmpdir("warmstart-test-").tap { |folder| @folders << folder }
  end

  # Something that the test needs is not installed: it is skipped, or, on a machine that has to have everything
  # (.ci/run), fails. What depends on the user, the platform or the version of Ruby is skipped in any case.
  def missing(what)
    ENV["WARMSTART_TEST_ALL"] == "1" ? flunk("missing: #{what}") : skip(what)
  end

  # What a program without RubyGems says to get fiddle, which is a gem since Ruby 3.5.
  def require_fiddle
    folders = "print((Gem.loaded_specs['fiddle']&.full_require_paths || []).select { |path| File.directory?(path) })"
    folders, status = Open3.capture2(RbConfig.ruby, "-rfiddle", "-e", folders, err: File::NULL)
    missing "no fiddle" unless status.success?
    "$:.concat(#{folders}); require 'fiddle'\n"
  end

  # While the block runs, the folder is a disk of its own, and a small one.
  def on_small_disk(folder, kilobytes: 64)
    skip "only root can mount" unless Process.uid.zero?
    unless system("mount", "-t", "tmpfs", "-o", "size=#{kilobytes}k", "tmpfs", folder, err: File::NULL)
      skip "a tmpfs cannot be mounted here"
    end
    begin
      yield
    ensure
      system("umount", folder)
    end
  end

  # Programs of this class's tests load RubyGems, as programs do.
  def self.with_rubygems = @with_rubygems = true

  def self.with_rubygems? = @with_rubygems || ENV["WARMSTART_TEST_GEMS"] == "1"

  # A program without RubyGems, where the class does not ask for it: to load it takes three quarters of the time of most
  # tests. With WARMSTART_TEST_GEMS=1, as in bin/deep, all programs have it.
  def program(files, args: [], rubygems: self.class.with_rubygems?, **options)
    args = ["--disable-gems", *args] unless rubygems || args.include?("--disable-gems")
    Program.new(temporary_folder, files, args: args, **options)
  end

  # What a program is run under beside plain Ruby: {variant => [image, environment]}. By default files go the direct
  # way.
  NATIVE = { "WARMSTART_DIRECT" => "0" }.freeze
  VARIANTS = {
    recording: [:own, {}],
    warm: [:own, {}],
    native: [:own, NATIVE],
    sealed: [:sealed, {}],
    sealed_native: [:sealed, NATIVE]
  }.freeze

  # Runs the program plain, recording, warm and from a sealed image, the direct way and by Ruby's own require; all must
  # show the same: stdout, stderr, exit status, and at the end $LOADED_FEATURES, $LOAD_PATH, constants and methods
  # (witness.rb). Every file of the program that the recording boot compiled must be a hit in the warm boot, but for
  # `misses`. (misses: :some where threads decide what is recorded at once; :any where hits are not the question.)
  def assert_same_behaviour(files, misses: [], variants: VARIANTS.keys, ends: "exit 0", **options)
    program = program(files, **options)
    plain = program.plain
    refute_empty variants
    compiled = nil
    variants.each do |variant|
      program.restore
      run = boot_as(program, variant)
      next assert_empty(compiled || [], "#{variant}: nothing was recorded") unless run

      assert_same_run plain, run, variant, ends: ends
      compiled ||= run.events.filter_map { |line| line[/\Amiss (.*) not_recorded\z/, 1] }.uniq.sort
      assert_hits compiled, misses, run, variant unless variant == :recording
    end
    plain
  end

  # A run of the variant; nil where nothing was recorded that could be sealed.
  def boot_as(program, variant)
    image, environment = VARIANTS.fetch(variant)
    return program.boot(env: environment) if image == :own

    sealed = (@sealed ||= {}).fetch(program) { |key| @sealed[key] = program.seal }
    sealed && program.boot(image: sealed, env: environment)
  end

  def assert_hits(compiled, misses, run, variant)
    return if misses == :any
    return assert_equal compiled - misses, run.hits, "#{variant}: hits" unless misses == :some

    assert_empty run.hits - compiled, "#{variant}: hits"
    refute_empty run.hits, "#{variant}: hits"
  end

  def assert_same_run(plain, run, variant = :warm, ends: "exit 0")
    assert_compares plain, ends
    assert plain.transcript == run.transcript,
           -> { "#{variant}: differs from plain Ruby\n#{line_diff(plain.transcript, run.transcript)}" }
  end

  # What plain Ruby says on Windows of what that system does not have, or of what the Ruby under Wine does not have.
  LACKED =
    /\w+\(\) function is unimplemented on this machine|unsupported signal `\w+'|such file -- psych|find gem bundler/

  # A program that ends before it has shown anything would be the same with Warmstart, whatever that does. So each has to
  # come to the end that is meant (`ends` === the status).
  def assert_compares(plain, ends)
    skip "plain Ruby on Windows: #{plain.stderr[LACKED]}" if Program::WINDOWS && plain.stderr.match?(LACKED)
    assert_operator ends, :===, plain.status, -> { "the program in plain Ruby: #{plain.stderr[0, 2000]}" }
  end

  # Boots the program so many times in a row, and compares each boot with one run in plain Ruby. (A program that changes
  # what it finds needs a run in plain Ruby for each.)
  def assert_same_boots(program, count, ends: "exit 0", **options)
    plain = program.plain(**options)
    count.times { |number| assert_same_run plain, program.boot(**options), "boot #{number + 1}", ends: ends }
    plain
  end

  # As `diff` shows it, without context; long output is cut.
  def line_diff(expected, actual)
    if Program::WINDOWS # (which has no diff)
      lines = [expected, actual].map { |text| text.lines(chomp: true) }
      return(
        [
          *(lines[0] - lines[1]).map { |line| "- plain: #{line}\n" },
          *(lines[1] - lines[0]).map { |line| "+ with us: #{line}\n" }
        ].first(40).join
      )
    end
    files =
      [expected, actual].map { |text| File.join(temporary_folder, "text").tap { |path| File.write(path, "#{text}\n") } }
    output, = Open3.capture2("diff", *files)
    output
      .lines
      .grep(/\A[<>]/)
      .first(40)
      .map { |line| "#{line.chomp[0, 400]}\n" }
      .join
      .gsub(/^</, "- plain:")
      .gsub(/^>/, "+ with us:")
  end
end

Minitest.autorun if $PROGRAM_NAME.end_with?("_test.rb")
