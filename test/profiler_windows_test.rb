# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/command"

# What the profiler does in another way on Windows: it counts calls in the tables of imports, follows exec into another
# process, and measures collections itself.
class ProfilerWindowsTest < TestCase
  PREFIX = [RbConfig.ruby, Command::WARMSTART, "profile"].freeze

  def setup
    skip "this is not Windows" unless Program::WINDOWS
  end

  # The profile of a program.
  def profile(program, *options, boot: false)
    file = File.join(program.base, "profile.json")
    run = program.public_send(boot ? :boot : :plain, prefix: [*PREFIX, "--json", file, *options, "--"])
    assert_equal "exit 0", run.status, run.stderr
    JSON.parse(File.read(file))
  end

  def node(profile, name) =
    profile["nodes"].find { |node| node["name"] == name }["self"].tap { |metrics| metrics.default = 0 }

  # What a line adds to the calls of a file, when it is repeated so often: {metric => count}.
  def calls(line, count, boot: false)
    files = {
      "main.rb" => "require 'none'\nrequire 'some'\nrequire 'more'\n",
      "text" => "x" * 1000,
      "folder/a" => "",
      "none.rb" => "Z = 0\n",
      "some.rb" => "#{count}.times { #{line} }\n",
      "more.rb" => "#{2 * count}.times { #{line} }\n"
    }
    profile = profile(program(files), boot: boot)
    assert_equal "imports", profile["calls_source"]
    none, some, more = %w[none some more].map { |name| node(profile, name) }
    added = some.keys.to_h { |metric| [metric, some[metric] - none[metric]] }
    counted = %w[open open_failed stat stat_failed list read reads_to_512 reads_over_4096 other_calls]
    assert_equal counted.map { |metric| [metric, 2 * added.fetch(metric, 0)] },
                 counted.map { |metric| [metric, more[metric] - none[metric]] },
                 line
    added.tap { |metrics| metrics.default = 0 }
  end

  test "calls of Ruby's are counted by kind, and what fails" do
    stat = calls("File.stat('text')", 20)
    assert_operator stat["stat"], :>=, 20
    assert_equal [0, 0, 0], stat.values_at("stat_failed", "open", "read")
    missing = calls("File.exist?('missing')", 20)
    assert_operator missing["stat_failed"], :>=, 20
    read = calls("File.open('text', 'rb') { |file| file.sysread(300) }", 20)
    assert_equal [20, 20, 20, 0], read.values_at("open", "read", "reads_to_512", "stat_failed")
    assert_includes 6000..6200, read["read_bytes"] # (and what is longer in the file itself)
    failed = calls("begin; File.open('missing'); rescue Errno::ENOENT; end", 20)
    assert_operator failed["open_failed"], :>=, 20
    assert_equal 20, calls("Dir.children('folder')", 20)["list"]
    assert_operator calls("File.write('new', ''); File.unlink('new')", 20)["other_calls"], :>=, 20
  end

  NAMES = {
    "short" => "folder/a",
    "long" => "#{"a_folder_with_a_name/" * 10}a",
    "8.3" => "FOLDER~1/A_FILE~1.RB",
    "in another case" => "Folder/A",
    "missing" => "nothing/there.rb"
  }.freeze

  # (Ruby asks about each name that may be a short one: win32/file.c, replace_to_long_name.)
  test "to expand a name Ruby asks the disk, and Warmstart does not, of whatever kind the name is" do
    NAMES.each do |kind, name|
      line = "File.expand_path('#{name}', __dir__)"
      assert_equal 20, calls(line, 20).values_at("stat", "stat_failed").max, kind
      assert_equal 0,
                   calls(line, 20, boot: true).values_at(
                     "open",
                     "open_failed",
                     "stat",
                     "stat_failed",
                     "list",
                     "other_calls"
                   ).sum,
                   kind
    end
  end

  test "each thread has its counts" do
    files = {
      "main.rb" => "Thread.new { require 'some' }.join\nrequire 'more'\n",
      "some.rb" => "50.times { File.stat('missing') rescue 0 }\n",
      "more.rb" => "MORE = 1\n"
    }
    profile = profile(program(files))
    assert_operator node(profile, "some")["stat_failed"], :>=, 50
    assert_operator node(profile, "more")["stat_failed"], :<, 50
  end

  test "without counting there are no calls, and the report says so" do
    program = program({ "main.rb" => "File.stat('main.rb')\n" }, witness: false)
    profile = profile(program, "--no-calls")
    assert_nil profile["calls_source"]
    assert_empty profile["nodes"].flat_map { |node| node["total"].keys } & %w[open stat read list other_calls]
    run = program.plain(prefix: [*PREFIX, "--no-calls", "--"])
    assert_match(/^file system calls were not counted/, run.stderr)
    assert_match(/^\d+ file system calls/, program.plain(prefix: [*PREFIX, "--"]).stderr)
  end

  # (Under --disable-gems nobody has changed the load path. Then its Strings, which ruby.c, process_options, has copied
  # into the locale's encoding, are not frozen, so that the index answers nothing about these folders.)
  test "a warm boot asks the system less" do
    files = (1..30).to_h { |i| ["part#{i}.rb", "PART#{i} = #{i}\n"] }
    program =
      program(
        files.merge(
          "main.rb" => "$LOAD_PATH.push(__dir__)\nrequire 'start'\n",
          "start.rb" => "(1..30).each { |i| require \"part\#{i}\" }\n"
        ),
        witness: false
      )
    2.times { program.boot }
    plain, warm = profile(program), profile(program, boot: true)
    assert_equal "warm", warm["program"]["accelerator"]
    calls =
      [plain, warm].map do |profile|
        profile["nodes"]
          .select { |node| node["name"].start_with?("part") }
          .sum { |node| %w[open stat].sum { |name| node["self"].fetch(name, 0) } }
      end
    assert_operator calls[1], :>, 0, "the accelerator's own calls are counted, too"
    assert_operator calls[1] * 3, :<, calls[0]
  end

  test "collections are measured, whatever Ruby's clock says" do
    profile =
      profile(
        program(
          {
            "main.rb" => "KEPT = Array.new(300_000) { |i| [i.to_s] }\nrequire 'collector'\n",
            "collector.rb" => "20.times { GC.start }\n"
          }
        )
      )
    collector = node(profile, "collector")
    assert_operator collector["gc_count"], :>=, 20
    assert_includes (collector["wall_ns"] / 2)..collector["wall_ns"], collector["gc_ns"]
  end
end
