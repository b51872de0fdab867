# frozen_string_literal: true

require_relative "../test_helper"
require_relative "../support/profile_generator"
require_relative "../../lib/warmstart/profiler/report"

# Files for other viewers, checked against what their formats say: speedscope's file-format-spec.ts, the Firefox
# Profiler's types/profile.ts for version 58 of the processed format.
class ProfilerExportsTest < TestCase
  Report = Warmstart::Profiler::Report

  def report(**options) = Report.new(ProfileGenerator.new(gems: 14, **options).profile)

  def parsed(hash) = JSON.parse(JSON.generate(hash))

  # ---- speedscope ----

  test "a speedscope file has what the format wants and nothing else" do
    file = parsed(report.speedscope)
    assert_equal "https://www.speedscope.app/file-format-schema.json", file["$schema"]
    assert_empty file.keys - %w[$schema name exporter activeProfileIndex shared profiles]
    file["shared"]["frames"].each do |frame|
      assert_empty frame.keys - %w[name file line col]
      assert_kind_of String, frame["name"]
      assert_kind_of String, frame["file"] if frame.key?("file")
    end
    file["profiles"].each do |profile|
      keys = {
        "evented" => %w[type name unit startValue endValue events],
        "sampled" => %w[type name unit startValue endValue samples weights]
      }
      assert_equal keys.fetch(profile["type"]), profile.keys
      assert_includes %w[none nanoseconds microseconds milliseconds seconds bytes], profile["unit"]
      assert_operator profile["startValue"], :<=, profile["endValue"]
    end
  end

  test "speedscope's events nest, never go back, and end where they began" do
    report = report()
    file = parsed(report.speedscope)
    frames = file["shared"]["frames"].size
    evented = file["profiles"].select { |profile| profile["type"] == "evented" }
    assert_equal report.profile.roots.size, evented.size
    evented.each do |profile|
      stack = []
      last = profile["startValue"]
      profile["events"].each do |event|
        assert_operator event["at"], :>=, last
        last = event["at"]
        assert_includes 0...frames, event["frame"]
        event["type"] == "O" ? stack.push(event["frame"]) : assert_equal(stack.pop, event["frame"])
      end
      assert_empty stack
      assert_equal profile["endValue"], last
    end
    assert_equal report.profile.root.total_of("wall"), evented.first["endValue"] - evented.first["startValue"]
  end

  test "speedscope's weights sum up to the profile's totals" do
    report = report()
    sampled = parsed(report.speedscope)["profiles"].select { |profile| profile["type"] == "sampled" }
    assert_equal ["objects", "allocated", "GC", "failed calls"], sampled.map { |profile| profile["name"] }
    %w[objects bytes gc failed].zip(sampled) do |metric, profile|
      assert_equal report.profile.total(metric), profile["weights"].sum
      assert_equal profile["samples"].size, profile["weights"].size
      assert_equal profile["weights"].sum, profile["endValue"]
    end
  end

  # ---- Firefox Profiler ----

  META = %w[
    interval
    startTime
    processType
    categories
    product
    stackwalk
    version
    preprocessedProfileVersion
    markerSchema
  ].freeze
  THREAD = {
    "processType" => String,
    "processStartupTime" => Numeric,
    "registerTime" => Numeric,
    "pausedRanges" => Array,
    "name" => String,
    "isMainThread" => [true, false],
    "pid" => String,
    "tid" => Integer
  }.freeze
  TABLES = {
    "samples" => %w[stack time weight],
    "markers" => %w[data name startTime endTime phase category],
    "stackTable" => %w[frame prefix],
    "frameTable" => %w[address inlineDepth category subcategory func nativeSymbol innerWindowID line column],
    "funcTable" => %w[name isJS relevantForJS resource source lineNumber columnNumber],
    "resourceTable" => %w[lib name host type],
    "nativeSymbols" => %w[libIndex address name functionSize]
  }.freeze
  COLORS = %w[transparent purple green orange yellow lightblue blue brown magenta red lightred darkgrey grey].freeze
  FORMATS = %w[
    url
    file-path
    sanitized-string
    string
    unique-string
    duration
    time
    seconds
    milliseconds
    microseconds
    nanoseconds
    bytes
    percentage
    integer
    decimal
    pid
    tid
  ].freeze

  def firefox = @firefox ||= parsed(report.firefox)

  test "a Firefox profile has the head that version 58 wants" do
    assert_empty META - firefox["meta"].keys
    assert_equal 58, firefox["meta"]["preprocessedProfileVersion"]
    assert_equal Time.utc(2026, 11, 21, 22).to_i * 1000, firefox["meta"]["startTime"]
    assert_equal "grey", firefox["meta"]["categories"].first["color"]
    firefox["meta"]["categories"].each do |category|
      assert_includes COLORS, category["color"]
      assert_equal "Other", category["subcategories"].first
    end
    schema = firefox["meta"]["markerSchema"].first
    schema["fields"].each { |field| assert_includes FORMATS, field["format"] }
    assert_equal [], firefox["libs"]
    assert(firefox["shared"]["stringArray"].all?(String))
    assert_equal firefox["shared"]["stringArray"], firefox["shared"]["stringArray"].uniq
  end

  test "a Firefox profile's tables are rectangular and their indexes in range" do
    strings = firefox["shared"]["stringArray"].size
    sources = firefox["shared"]["sources"]
    assert_equal [sources["length"]] * 2, [sources["uuid"].size, sources["filename"].size]
    assert_in_range sources["filename"], strings
    firefox["threads"].each do |thread|
      THREAD.each { |name, type| assert([*type].any? { |one| one === thread.fetch(name) }, name) }
      TABLES.each do |table, columns|
        columns.each do |column|
          assert_equal thread[table]["length"], thread[table].fetch(column).size, "#{table}.#{column}"
        end
      end
      categories = firefox["meta"]["categories"].size
      assert_in_range thread["samples"]["stack"], thread["stackTable"]["length"]
      assert_in_range thread["stackTable"]["frame"], thread["frameTable"]["length"]
      assert_in_range thread["frameTable"]["func"], thread["funcTable"]["length"]
      assert_in_range thread["frameTable"]["category"], categories
      assert_in_range thread["funcTable"]["name"] + thread["resourceTable"]["name"] + thread["markers"]["name"], strings
      assert_in_range thread["funcTable"]["resource"], thread["resourceTable"]["length"]
      assert_in_range thread["funcTable"]["source"].compact, sources["length"]
      assert_in_range thread["markers"]["category"], categories
      assert_equal [1], thread["markers"]["phase"].uniq
      thread["stackTable"]["prefix"].each_with_index do |prefix, index|
        assert prefix.nil? || prefix < index, "a stack before its prefix"
      end
    end
  end

  def assert_in_range(indexes, size)
    refute_empty indexes
    assert(indexes.all? { |index| index.is_a?(Integer) && (0...size).cover?(index) })
  end

  test "a Firefox profile's weights are milliseconds and sum up to the thread's wall time" do
    report = report()
    report
      .profile
      .roots
      .zip(report.firefox["threads"]) do |root, thread|
        samples = thread["samples"]
        assert_equal "tracing-ms", samples["weightType"]
        assert_in_delta root.total_of("wall") / 1e6, samples["weight"].sum, 0.001
        assert_equal samples["time"].sort, samples["time"]
      end
  end

  test "a Firefox profile's selves are the nodes' selves" do
    report = report()
    thread = report.firefox["threads"].first
    selves = Hash.new(0)
    thread["samples"]["stack"].zip(thread["samples"]["weight"]) { |stack, weight| selves[stack] += weight }
    nodes = report.profile.nodes.select { |node| report.profile.main?(node) }
    yaml = nodes.index { |node| node.name == "mime-types.yml" }
    assert_in_delta 130, selves[yaml], 0.01
    assert_equal "mime-types.yml",
                 report.firefox["shared"]["stringArray"][
                   thread["funcTable"]["name"][thread["frameTable"]["func"][thread["stackTable"]["frame"][yaml]]]
                 ]
    assert_equal 30_000, thread["markers"]["data"][yaml]["calls"]
  end

  test "a clock's step does not make events cross" do
    raw = ProfileGenerator.new(gems: 3).profile
    raw["nodes"].each { |node| node["start_ns"] += node["id"].even? ? 700 : -900 }
    timeline = Report::Timeline.new(Report.new(raw).profile.root)
    depth = 0
    times =
      timeline.each_event.map do |event, _, time|
        depth += event == :open ? 1 : -1
        assert_operator depth, :>=, 0
        time
      end
    assert_equal times.sort, times
    assert_equal 0, depth
    assert_equal times.last - times.first, timeline.segments.sum(&:last)
  end
end
