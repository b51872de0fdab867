# frozen_string_literal: true

require_relative "test_helper"
require_relative "../bench/support"

# bin/bench --docs: every figure of the pages was measured, and README's table is made of docs/figures.md.
class FiguresTest < TestCase
  HEAD = [
    "",
    "CPU",
    "minimum",
    "of plain",
    "of bootsnap",
    "of bootsnap_without_tzinfo",
    "wall",
    "minimum",
    "of plain",
    "memory"
  ].freeze
  ROWS = [
    ["plain", "4.00 s", "3.90 s", "1.00", "2.00", "2.22", "4.1 s", "4.0 s", "1.00", "220.0 MB"],
    ["bootsnap", "2.00 s", "1.90 s", "0.50", "1.00", "1.11", "2.1 s", "2.0 s", "0.51", "223.0 MB"],
    ["warmstart", "1.00 s", "0.90 s", "0.25", "0.50", "0.56", "1.1 s", "1.0 s", "0.27", "280.0 MB"],
    ["warmstart_without_tweaks", "1.20 s", "1.10 s", "0.30", "0.60", "0.67", "1.3 s", "1.2 s", "0.32", "281.0 MB"]
  ].freeze

  def repository
    folder = Dir.mktmpdir("warmstart-figures-")
    Dir.mkdir(File.join(folder, "docs"))
    File.write(File.join(folder, "docs/figures.md"), "# Figures\n\nWhat they are.\n")
    File.write(File.join(folder, "README.md"), "before\n\n<!-- bin/bench --docs -->\nold\n<!-- end -->\n\nafter\n")
    yield folder, Benchmarks::Figures.new(folder)
  ensure
    FileUtils.rm_rf(folder)
  end

  test "a table takes the place of its predecessor, with command, date and machine, and README's is made of all" do
    repository do |folder, figures|
      figures.write(
        "first_boot",
        "bin/bench --docs",
        { title: "first boot", head: ["", "CPU", "of plain"], rows: [["rails_app: warmstart", "4.60 s", "1.15"]] }
      )
      figures.write(
        "servers",
        "bin/bench --docs servers",
        {
          title: "servers",
          head: ["", "CPU", "memory"],
          rows: [["rails_app: bootsnap", "4.60 s", "240.0 MB"], ["rails_app: warmstart", "4.10 s", "245.0 MB"]]
        }
      )
      figures.write(
        "standby",
        "bin/bench --docs standby",
        {
          title: "standby",
          head: ["", "wall"],
          rows: [["rails_app, production: bin/rails runner 1: standby", "70.0 ms"]]
        }
      )
      figures.write(
        "rails_app",
        "bin/bench --docs rails_app",
        { title: "warm boot", head: HEAD, rows: ROWS.map { |row| [row.first, *["9 s"] * 9] } }
      )
      figures.write("rails_app", "bin/bench --docs rails_app", { title: "warm boot", head: HEAD, rows: ROWS })
      page = File.read(File.join(folder, "docs/figures.md"))
      ruby = RUBY_VERSION[/\d+\.\d+/]
      assert page.start_with?(
               "# Figures\n\nWhat they are.\n\n## first_boot, Ruby #{ruby}\n\nFirst boot:\n`bin/bench --docs`,\n"
             ),
             page
      assert_equal [
                     "first_boot, Ruby #{ruby}",
                     "rails_app, Ruby #{ruby}",
                     "servers, Ruby #{ruby}",
                     "standby, Ruby #{ruby}"
                   ],
                   page.scan(/^## (.+)$/).flatten
      refute_includes page, "9 s"
      assert_match(
        /^Warm boot:\n`bin\/bench --docs rails_app`,\n\d+ \w+ \d{4}, #{Regexp.escape(RUBY_DESCRIPTION)}\.\n.*, \d+ cores, zoneinfo .+\.$/,
        page
      )
      readme = File.read(File.join(folder, "README.md"))
      assert readme.start_with?("before\n\n<!-- bin/bench --docs -->\n| ") &&
               readme.end_with?("|\n<!-- end -->\n\nafter\n"),
             readme
      assert_equal [
                     "| rails_app, Ruby #{ruby} | 1.00 s | 0.25 | 0.50 | 0.60 | 0.56 | 1.15 | 280.0 MB | 223.0 MB | 245.0 MB | 240.0 MB | 70.0 ms |\n"
                   ],
                   readme.lines.grep(/rails_app/)
      assert_equal figures.written, figures.summary
    end
  end

  test "README's table is that of docs/figures.md" do
    figures = Benchmarks::Figures.new(Program::REPOSITORY)
    assert_equal figures.summary, figures.written
    assert_match(/^\| rails_app, Ruby /, figures.written)
  end
end
