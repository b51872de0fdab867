# frozen_string_literal: true

require_relative "test_helper"
require "rexml/document"
require_relative "../bench/lines"

# Pictures of measurements: valid SVG, every value in its place, light and dark.
class PlotTest < TestCase
  Plot = Warmstart::Bench::Plot

  VALUES = { "plain" => [2.0, 2.1, 2.05, 2.6], "bootsnap" => [1.2, 1.21, 1.25], "warmstart <&\"'> é" => [1.0] }.freeze
  SERIES = {
    "plain" => [[2000, 40.0], [4000, 45.0], [32_000, 130.0]],
    "warmstart" => [[2000, 9.0], [4000, 9.1], [32_000, 9.2]]
  }.freeze

  def distributions = Plot::Distributions.new("CPU time", VALUES)
  def lines = Benchmarks::Lines.new("price", SERIES, across: "files")

  def parsed(*panels) = REXML::Document.new(Plot.svg(panels, title: "a <b> & c"))

  def all(document, name) = REXML::XPath.match(document, "//svg:#{name}", "svg" => "http://www.w3.org/2000/svg")

  test "it is an SVG document with a title, a description, and colours for light and dark" do
    document = parsed(distributions, lines)
    assert_equal "svg", document.root.name
    assert_equal "a <b> & c", all(document, "title").first.text
    assert_match(
      /CPU time, medians: plain 2\.08 s, bootsnap 1\.21 s, warmstart <&"'> é 1\.00 s\./,
      all(document, "desc").first.text
    )
    assert_includes all(document, "style").first.text, "@media(prefers-color-scheme:dark)"
    refute_match(/script|href|url\(|@import/, document.to_s)
  end

  test "each run is a dot, in order, within the picture" do
    document = parsed(distributions)
    assert_equal VALUES.values.sum(&:size), all(document, "circle").size
    x = all(document, "circle").map { |circle| circle.attributes["cx"].to_f }
    assert_equal VALUES["plain"].each_index.sort_by { |index| VALUES["plain"][index] },
                 x.first(4).each_index.sort_by { |index| x[index] }
    width = document.root.attributes["width"].to_f
    assert(x.all? { |place| place.between?(0, width) })
    assert_in_delta (x[3] - x[0]) / 0.6, (x[0] - x[4]) / 0.8, 0.5, "the scale is straight"
  end

  test "a line has its points, and names do not lie over each other" do
    document = parsed(lines)
    assert_equal SERIES.values.sum(&:size), all(document, "circle").size
    assert_equal [3, 3], all(document, "polyline").map { |line| line.attributes["points"].split.size }
    plain, ours =
      all(document, "polyline").map do |line|
        line.attributes["points"].split.map { |point| point.split(",").last.to_f }
      end
    assert_operator plain.last, :<, plain.first # (down is more)
    assert_in_delta ours.first, ours.last, 1
    close = Benchmarks::Lines.new("x", { "a" => [[1, 5.0]], "b" => [[1, 5.01]], "c" => [[1, 5.02]] }, across: "n")
    places =
      all(parsed(close), "text")
        .select { |text| text.attributes["class"] == "named" }
        .map { |text| text.attributes["y"].to_f }
        .sort
    assert(places.each_cons(2).all? { |one, other| other - one >= 15 })
  end

  test "axes begin at zero, end above the greatest value and have round steps" do
    { 2.6 => 3.0, 130.0 => 150, 0.0123 => 0.015, 32_000 => 40_000, 1 => 1.0, 0 => 1.0 }.each do |greatest, limit|
      axis = Plot::Axis.new(greatest)
      assert_in_delta limit, axis.limit, limit * 0.01, greatest
      assert_equal 0, axis.ticks.first
      assert_includes 3..9, axis.ticks.size
    end
    near = Plot::Axis.new(4.2, from: 2.1)
    assert_equal [2.0, 4.5, 0.0, 1.0], [near.origin, near.limit, near.place(2), near.place(4.5)]
    assert_equal %w[0.0 0.5 1.0], Plot::Axis.new(2.6).ticks.first(3).map { |tick| Plot::Axis.new(2.6).label(tick) }
    assert_equal "30,000", Plot::Axis.new(32_000).label(30_000)
  end

  test "for a terminal there is the same in characters" do
    text = distributions.to_text(80)
    lines = text.lines(chomp: true)
    assert(lines.all? { |line| line.length <= 80 })
    assert_match(/\Aplain .*[#=o].* 2\.08 s\z/, lines[1])
    assert_operator lines[1].index("#"), :>, lines[2].index("#")
    assert_match(/1\.0 .* 3\.0 s\z/, lines.last)

    text = self.lines.to_text(70)
    assert_includes text, "* plain  + warmstart"
    assert_equal 3, text.lines.drop(1).first(12).join.count("+")
  end

  test "one run of one variant is a picture, too" do
    assert_equal 1, all(parsed(Plot::Distributions.new("x", { "a" => [0.5], "b" => [] })), "circle").size
    assert_match(/#/, Plot::Distributions.new("x", { "a" => [0.5] }).to_text(40))
  end

  test "a benchmark's panels: of its series, of its variants, or of each group of them" do
    require_relative "../bench/support"
    result = { cpu: { runs: [1.0] }, wall: { runs: [1.2] } }
    titles = ->(benchmark) do
      Benchmarks.panels("shop", benchmark).map { |panel| panel.description.sub(/, medians: .*|\. .*/, "") }
    end
    assert_equal ["shop: boot"], titles.call(title: "boot", head: ["files"], series: SERIES)
    assert_equal ["shop, CPU time", "shop, wall time"],
                 titles.call(measurements: { "plain" => result, "warmstart" => result })
    assert_equal ["shop, cold, CPU time", "shop, cold, wall time", "shop, warm, CPU time", "shop, warm, wall time"],
                 titles.call(measurements: { "cold" => { "plain" => result }, "warm" => { "plain" => result } })
    assert_equal [], titles.call(title: "x", head: [], rows: [])
  end

  test "a measurement's panels are CPU and wall time" do
    result = { cpu: { runs: [1.0, 1.1] }, wall: { runs: [1.2, 1.3] } }
    panels = Plot.panels({ "plain" => result }, title: "boot")
    assert_equal ["boot, CPU time, medians: plain 1.05 s.", "boot, wall time, medians: plain 1.25 s."],
                 panels.map(&:description)
  end
end
