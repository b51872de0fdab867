# frozen_string_literal: true

require_relative "../test_helper"
require_relative "../support/command"
require_relative "../support/profile_generator"
require_relative "../../lib/warmstart/cli"
require_relative "../../lib/warmstart/cli/profile_compare"

# Two profiles side by side, and the budgets that a boot must keep.
class ProfileCompareTest < TestCase
  Profiler = Warmstart::Profiler
  MS = 1_000_000
  # As `warmstart profile` will: the command, and one line for what went wrong.
  RUN = <<~RUBY
    require "warmstart/cli"
    require "warmstart/cli/profile_compare"
    begin
      exit Warmstart::CLI::ProfileCompare.new.run(ARGV)
    rescue Warmstart::CLI::Error => error
      Warmstart::CLI.complain(error.message)
      exit error.status
    end
  RUBY

  # rack: version of the gem. more: what comes on top, called with sketch and root.
  def profile(rack: "3.0.0", own: 10, files: 1, more: nil, raw: {})
    folder = "/g/gems/rack-#{rack}"
    sketch = ProfileSketch.new(gems: { "rack" => folder }, more: raw)
    sketch.add(nil, "program", "main.rb", path: "/app/main.rb", own: 1) do |root|
      sketch.add(
        root,
        "require",
        "rack",
        path: "#{folder}/lib/rack.rb",
        own: own,
        files: files,
        open: 10,
        objects: 1000
      )
      more&.call(sketch, root)
    end
    sketch.profile
  end

  def compare(before, after) = Profiler::Compare.new(*[before, after].map { |raw| Profiler::Report.new(raw) })

  def write(raw) =
    File
      .join(temporary_folder, "profile.json")
      .tap { |path| File.write(path, raw.is_a?(String) ? raw : JSON.generate(raw)) }

  def warmstart_compare(*arguments)
    command = [
      RbConfig.ruby,
      "-w",
      "-I",
      File.join(Program::REPOSITORY, "lib"),
      "-e",
      RUN,
      "--",
      "--compare",
      *arguments
    ]
    output, errors, status = Open3.capture3({ "COLUMNS" => "100", "RUBYOPT" => nil }, *command)
    [output, errors, status.exitstatus]
  end

  # ---- what changed ----

  test "totals are before, after and the change" do
    total = compare(profile, profile(own: 15)).total
    assert_equal 5 * MS, total.change("wall")
    assert_in_delta 5 / 11.0, total.share("wall"), 0.0001
    assert_equal 0, total.change("files")
    assert_nil total.share("gc")
  end

  test "another version of a gem, or another folder, is the same file" do
    files = compare(profile, profile(rack: "3.1.0", own: 12)).files
    assert_equal [["rack: rack.rb", :both, 2 * MS]],
                 files
                   .select { |change| change.change("wall") != 0 }
                   .map { |change| [change.name, change.status, change.change("wall")] }
  end

  test "what is new and what is gone is told, by gem and by file" do
    more = ->(sketch, root) do
      sketch.add(root, "require", "mail", path: "/g/gems/mail-2.9.0/lib/mail.rb", own: 30, files: 1)
    end
    forth = compare(profile, profile(more: more))
    assert_equal ["mail", :new, 30 * MS, 1],
                 forth.gems.first.then { |change|
                   [change.name, change.status, change.change("wall"), change.change("files")]
                 }
    assert_equal ["mail: mail.rb", :new], forth.files.first.then { |change| [change.name, change.status] }
    back = compare(profile(more: more), profile)
    assert_equal ["mail", :gone, -30 * MS, -1],
                 back.gems.first.then { |change|
                   [change.name, change.status, change.change("wall"), change.change("files")]
                 }
  end

  test "changes of gems and of files sum up to the change of all" do
    one, other = [ProfileGenerator.new, ProfileGenerator.new(seed: 2, gems: 30, scale: 1.1)].map(&:profile)
    compare = compare(one, other)
    compare.metrics.each do |metric|
      [compare.gems, compare.files].each do |changes|
        assert_equal compare.total.change(metric), changes.sum { |change| change.change(metric) }, metric
      end
    end
  end

  test "calls are compared only where both counted them" do
    assert_includes compare(profile, profile).metrics, "calls"
    refute_includes compare(profile, profile(raw: { "calls_source" => nil })).metrics, "calls"
  end

  test "the table says it, and fits" do
    one, other =
      [ProfileGenerator.new, ProfileGenerator.new(seed: 2, gems: 30, scale: 1.1, names: { "rack" => "日本語" * 40 })].map(
        &:profile
      )
    compare = compare(one, other)
    [40, 60, 80, 120, 200].each do |width|
      [true, false].each do |colors|
        text = compare.table(width: width, colors: colors)
        text.each_line(chomp: true) do |line|
          assert_operator Profiler::Report::Terminal::Display.width(line.gsub(/\e\[[\d;]*m/, "")), :<=, width, line
        end
      end
    end
    text = compare.table(width: 100)
    assert_equal [
                   "Slower, by gem",
                   "Faster, by gem",
                   "Gone, by gem",
                   "Slower, by file",
                   "Faster, by file",
                   "New, by file",
                   "Gone, by file"
                 ],
                 text.scan(/^([A-Z][a-z]+, by \w+)/).flatten
    assert_match(/^wall time +3\.06 s +\S+ s +\+[\d.]+ ms +\+\d\.\d %$/, text)
    assert_equal compare(one, one).table(width: 100).lines.size, 2 + 1 + 1 + 10
  end

  # ---- budgets ----

  def excesses(limits, before, after) =
    compare(before, after).excesses(Profiler::Compare::Budget.new(limits)).map(&:metric)

  test "a share is for CPU time, files, objects and calls; what grew more is named" do
    after =
      profile(
        own: 10.2,
        more: ->(sketch, root) { sketch.add(root, "require", "x", path: "/app/x.rb", files: 1, objects: 0) }
      )
    assert_equal %w[files calls], excesses("5%", profile, after)
    assert_equal [], excesses("100%", profile, after)
    assert_equal [], excesses("5%", after, profile)
    assert_equal [], excesses("0%", profile, profile)
  end

  test "limits have names and units, and the last one counts" do
    after = profile(own: 13)
    {
      "wall=3" => [],
      "wall=2.9" => ["wall"],
      "wall=3ms" => [],
      "wall=0.002s" => ["wall"],
      "wall=30%" => [],
      "wall=20%" => ["wall"],
      "cpu=2" => ["cpu"],
      "files=0" => [],
      "5%,cpu=100%" => [],
      "cpu=100%,5%" => ["cpu"],
      "objects=0,gc_runs=0,calls=0%" => []
    }.each { |limits, expected| assert_equal expected, excesses(limits, profile, after), limits }
    more = profile(files: 3)
    assert_equal ["files"], excesses("files=1", profile, more)
    assert_equal [], excesses("files=2", profile, more)
  end

  test "a limit that makes no sense is refused" do
    {
      "" => /no limit/,
      "much" => /"much" is no limit/,
      "5" => /a limit without a name is a share/,
      "beauty=3" => /there is no "beauty"; one of wall/,
      "files=-1" => /is no limit/,
      "files=3ms" => /files are not a time/
    }.each do |limits, message|
      assert_match message,
                   assert_raises(Profiler::Compare::Budget::Invalid) { Profiler::Compare::Budget.new(limits) }.message
    end
  end

  # ---- the command ----

  test "the command shows what changed and ends with 0, or with 1 and a line for each budget that is exceeded" do
    before, after = write(profile), write(profile(own: 15, files: 2))
    output, errors, status = warmstart_compare(before, after)
    assert_equal [0, ""], [status, errors]
    assert_match(/^files +1 +2 +\+1 +\+100\.0 %$/, output)
    assert_match(/^rack +\+5\.0 ms +\+1/, output)

    output, errors, status =
      warmstart_compare(before, after, "--fail-over", "files=0,wall=1s", "--fail-over", "cpu=10%")
    assert_equal 1, status
    assert_equal [
                   "warmstart: over budget: files: 1 before, 2 after (+1, +100.0 %); +0 is allowed",
                   "warmstart: over budget: CPU time: 11.0 ms before, 16.0 ms after (+5.0 ms, +45.5 %); +10% is allowed"
                 ],
                 errors.lines(chomp: true)
    assert_includes output, "wall time"
    assert_equal 0, warmstart_compare(after, before, "--fail-over", "0%").last
  end

  test "as JSON it has everything" do
    output, _, status = warmstart_compare("--json", "--fail-over", "files=0", write(profile), write(profile(files: 2)))
    result = JSON.parse(output)
    assert_equal 1, status
    assert_equal %w[before after total gems files over_budget], result.keys
    assert_equal 1, result.dig("total", "change", "files")
    assert_equal [{ "metric" => "files", "before" => 1, "after" => 2, "limit" => "0" }], result["over_budget"]
    assert_equal "both", result["gems"].first["status"]
  end

  test "what cannot be compared gets a line and status 2" do
    good = write(profile)
    {
      [good, "/nowhere.json"] => %r{cannot compare /nowhere\.json: No such file},
      [good, write("{")] => /it is no JSON/,
      [write("{}"), good] => /it is no profile/,
      [good, write(profile.merge("version" => 9))] => /its version is 9/,
      [good] => /give two profiles/,
      [good, good, good] => /two profiles/,
      [good, good, "--fail-over", "x"] => /--fail-over: "x" is no limit/,
      [good, good, "--nonsense"] => /invalid option/,
      [good, good, "--top", "0"] => /--top/,
      [good, write(profile(raw: { "calls_source" => nil })), "--fail-over", "calls=0"] =>
        /file system calls were not counted in both/
    }.each do |arguments, message|
      output, errors, status = warmstart_compare(*arguments)
      assert_equal [2, ""], [status, output], arguments.inspect
      assert_match(/\Awarmstart: .*\n\z/, errors)
      assert_match message, errors
    end
  end

  test "its help says what it wants" do
    output, _, status = warmstart_compare("--help")
    assert_equal 0, status
    assert_match(/\AUsage: warmstart profile --compare \[OPTIONS\] BEFORE\.json AFTER\.json/, output)
    assert_includes output, "--fail-over"
  end
end
