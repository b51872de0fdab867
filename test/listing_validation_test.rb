# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/clock"

# Where a folder's listing brings its files' sizes and times along (Windows), one answers for all of a gem's files in
# it. What a program shows must not depend on that: an edited file is noticed, and the application's own files, second
# loads and what comes after a pause are looked at by themselves. Elsewhere nothing is listed (but where calls are slow,
# for a trial; where there is a clock of our own, none of them is).
class ListingValidationTest < TestCase
  COUNT = 300
  FOLDER = "gems/gems/big-1/lib/big"
  REQUIRE_ALL = "#{COUNT}.times { |i| require \"big/file\#{i}\" }"

  FILES =
    COUNT
      .times
      .to_h { |i| ["#{FOLDER}/file#{i}.rb", "module Big\n  FILE#{i} = #{i}\nend\n"] }
      .merge(
        "gems/specifications/big-1.gemspec" => "",
        "own/mine.rb" => "MINE = 1\n",
        "own/other.rb" => "OTHER = 1\n",
        "main.rb" => <<~RUBY
      $LOAD_PATH.unshift File.join(__dir__, "own"), File.join(__dir__, "gems/gems/big-1/lib")
      #{REQUIRE_ALL}
      require "mine"
      require "other"
      puts Big.constants.sum { |name| Big.const_get(name) }, MINE, OTHER
      $stderr.puts Warmstart::Native.ahead_counts.values_at(:listings, :names, :listed).join(" ") if ENV["TELL"]
    RUBY
      )
      .freeze

  def warm_program(files = FILES)
    environment = Clock.new(File.join(temporary_folder, "clock")).environment
    program(files, witness: false, load_path: [], args: %w[--disable-gems], env: environment).tap do |made|
      yield made if block_given?
      2.times { made.boot }
    end
  end

  # [listings, names, files answered for]
  def counts(run) = run.stderr.lines.last.split.map(&:to_i)

  def boot(program) = program.boot(env: { "TELL" => "1" })

  def assert_like_plain(program)
    run = boot(program)
    assert_equal program.plain.stdout, run.stdout
    counts(run)
  end

  # Each by its own rules: what the listing does, and what is there without.
  def assert_listed(expected, counted)
    return assert_equal [0, 0, 0], counted unless Program::WINDOWS

    assert_operator counted[0], :>=, 1
    assert_operator counted[1], :>=, COUNT
    assert_includes expected, counted[2]
  end

  test "one listing answers for a folder, but for the first files, which are measured" do
    assert_listed((COUNT - 5)..(COUNT - 3), assert_like_plain(warm_program))
    assert_equal [0, 0, 0], counts(warm_program.boot(env: { "TELL" => "1", "WARMSTART_AHEAD" => "0" }))
  end

  test "files that were edited, replaced or taken away are noticed" do
    program = warm_program
    before = counts(boot(program))[2]
    program.write("#{FOLDER}/file150.rb", "module Big\n  FILE150 = 950\nend\n") # (of the same size)
    File.write(program.path("new.rb"), "module Big\n  FILE151 = 951\nend\n")
    File.rename(program.path("new.rb"), program.path("#{FOLDER}/file151.rb"))
    program.write("#{FOLDER}/file152.rb", "module Big\n  FILE152 = 1_000_000\nend\n")
    counted = assert_like_plain(program)
    assert_equal before - 3, counted[2] if Program::WINDOWS
    File.unlink(program.path("#{FOLDER}/file153.rb"))
    assert_equal program.plain.status, boot(program).status
    assert_match(/cannot load such file/, boot(program).stderr)
  end

  test "a file with a second name gets a call of its own, for a listing does not know what was written by the other name" do
    program = warm_program { |made| File.link(made.path("#{FOLDER}/file200.rb"), made.path("second.rb")) }
    first = counts(boot(warm_program))[2]
    assert_equal first - 1, counts(boot(program))[2] if Program::WINDOWS
    File.write(program.path("second.rb"), "module Big\n  FILE200 = 20_000\nend\n")
    assert_like_plain(program)
  end

  test "the application's own files are looked at when they are required" do
    written =
      FILES.merge(
        "main.rb" =>
          FILES.fetch("main.rb").sub(
            'require "mine"',
            'File.write(File.join(__dir__, "own/mine.rb"), "MINE = 22 + 0\n"); require "mine"'
          )
      )
    assert_match(/\n22\n1\n\z/, boot(warm_program(written)).stdout)
  end

  test "a second load sees what was written after the first, and so does the first after a pause" do
    written = FILES.merge("main.rb" => FILES.fetch("main.rb").sub(REQUIRE_ALL) { Clock::IN_PROGRAM + <<~RUBY.chomp })
      100.times { |i| require "big/file\#{i}" }
      path, other = %w[file99 file280].map { |name| File.join(__dir__, "#{FOLDER}", name + ".rb") }
      before, other_before = File.read(path), File.read(other)
      $LOADED_FEATURES.delete(path)
      File.write(path, "module Big\\n  remove_const(:FILE99)\\n  FILE99 = 5_000_000\\nend\\n")
      require "big/file99"
      pass 1.2
      File.write(other, "module Big\\n  FILE280 = 7_000_000\\nend\\n")
      #{REQUIRE_ALL}
      File.write(path, before)
      File.write(other, other_before)
    RUBY
    assert_like_plain(warm_program(written))
  end
end
