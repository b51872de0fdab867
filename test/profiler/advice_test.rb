# frozen_string_literal: true

require_relative "../test_helper"
require_relative "../support/profile_generator"
require_relative "../../lib/warmstart/profiler/report"

# Each rule of the advice: when it speaks, when it does not, and what it computes.
class ProfilerAdviceTest < TestCase
  Report = Warmstart::Profiler::Report
  MS = 1_000_000
  RACK = "/g/gems/rack-3.0.0"
  PRAWN = "/g/gems/prawn-2.5.0"
  TTFUNK = "/g/gems/ttfunk-1.8.0"
  GEMS = { "rack" => RACK, "prawn" => PRAWN, "ttfunk" => TTFUNK }.freeze

  def advice(rule, more: {}, &block)
    sketch = ProfileSketch.new(gems: GEMS, more: more)
    sketch.add(nil, "program", "main.rb", path: "/app/main.rb", own: 1) { |root| block.call(sketch, root) }
    Report.new(sketch.profile).advice.find { |advice| advice.rule == rule }
  end

  test "all rules speak of a large boot, the greatest saving first, each with its computation" do
    raw = ProfileGenerator.new.profile
    raw["program"]["accelerator"] = "recording"
    list = Report.new(raw).advice
    assert_equal %w[
                   BundlerSetup
                   Documents
                   EagerRequires
                   Evals
                   FailedRequires
                   Garbage
                   Initializers
                   LargeFiles
                   OutsideImage
                   RealPaths
                   RepeatedRequires
                   Search
                   SmallReads
                   UnusedGems
                 ],
                 list.map(&:rule).sort
    assert_equal list.map(&:saving), list.map(&:saving).sort.reverse
    list.each do |entry|
      assert_operator entry.saving, :<=, Report.new(raw).profile.total("wall"), entry.rule
      assert_operator entry.how.size, :>, 20, entry.rule
      assert_includes ["at most", "about"], entry.bound
    end
  end

  test "a program that does nothing gets no advice" do
    assert_nil(advice("Search") { nil })
    sketch = ProfileSketch.new
    sketch.add(nil, "program", "main.rb", own: 30)
    assert_empty Report.new(sketch.profile).advice
  end

  test "search: failed opens and stats, at what the node that did little else leaves room for" do
    found =
      advice("Search") do |sketch, root|
        sketch.add(root, "require", "far", path: "#{RACK}/lib/far.rb", own: 2, failed: 1000) # 2 µs each
        sketch.add(
          root,
          "require",
          "slow",
          path: "#{RACK}/lib/slow.rb",
          own: 50,
          failed: 500,
          extra: {
            "stat_failed" => 500
          }
        )
        sketch.add(root, "require", "near", path: "#{RACK}/lib/near.rb", own: 1)
      end
    assert_equal 2000 * 2000, found.saving
    assert_match(/1,500 failed opens and 500 failed stats, 2\.0 µs each at most/, found.how)
    assert_equal ["far", nil, "1,000 failed opens"], found.items.first
    assert_nil(advice("Search") { |sketch, root| sketch.add(root, "require", "a", own: 50, failed: 3) })
    assert_nil(
      advice("Search") { |sketch, root| sketch.add(root, "require", "a", own: 50, failed: 3000) },
      "a bound that tells nothing"
    )
  end

  test "real paths: readlinks, which are no failed search" do
    found =
      advice("RealPaths") do |sketch, root|
        # 2 µs each
        sketch.add(
          root,
          "require",
          "a",
          path: "#{RACK}/lib/a.rb",
          own: 2,
          extra: {
            "readlink" => 1000,
            "readlink_failed" => 990
          }
        )
        sketch.add(root, "require", "b", path: "#{RACK}/lib/b.rb", own: 9, extra: { "readlink" => 500 })
      end
    assert_equal 3 * MS, found.saving
    assert_equal ["a", nil, "1,000 readlinks"], found.items.first
    assert_nil(
      advice("Search") do |sketch, root|
        sketch.add(root, "require", "a", own: 2, extra: { "readlink" => 1000, "readlink_failed" => 990 })
      end
    )
  end

  test "unused gems: those that nothing was asked of afterwards, with what only they brought in" do
    boot =
      lambda do |later|
        advice("UnusedGems") do |sketch, root|
          sketch.add(root, "bundler", "Bundler.require") do |list|
            sketch.add(
              list,
              "require",
              "prawn",
              path: "#{PRAWN}/lib/prawn.rb",
              from: "/usr/lib/ruby/3.3.0/bundler/runtime.rb:60",
              own: 10
            ) do |top|
              sketch.add(
                top,
                "require",
                "ttfunk",
                path: "#{TTFUNK}/lib/ttfunk.rb",
                from: "#{PRAWN}/lib/prawn.rb:3",
                own: 7
              )
              sketch.add(
                top,
                "require",
                "set",
                path: "/usr/lib/ruby/3.3.0/set.rb",
                from: "#{PRAWN}/lib/prawn.rb:4",
                own: 5
              )
            end
            sketch.add(
              list,
              "require",
              "rack",
              path: "#{RACK}/lib/rack.rb",
              from: "/usr/lib/ruby/3.3.0/bundler/runtime.rb:60",
              own: 20
            )
          end
          sketch.add(
            root,
            "autoload",
            "rack/builder",
            path: "#{RACK}/lib/rack/builder.rb",
            from: "/app/main.rb:9",
            own: 3
          )
          later&.call(sketch, root)
        end
      end
    found = boot.call(nil)
    assert_equal [["prawn", 17 * MS]], found.items.map { |item| item.first(2) }
    assert_equal 17 * MS, found.saving
    shared =
      boot.call(
        ->(sketch, root) do
          sketch.add(root, "require", "ttfunk/late", path: "#{TTFUNK}/lib/ttfunk/late.rb", from: "/app/main.rb:8")
        end
      )
    assert_equal 10 * MS, shared.saving
    assert_nil boot.call(
                 ->(sketch, root) do
                   sketch.add(
                     root,
                     "initializer",
                     "prawn.setup",
                     path: "#{PRAWN}/lib/prawn/railtie.rb",
                     from: "/app/main.rb:8"
                   )
                 end
               )
    assert_nil boot.call(
                 ->(sketch, root) do
                   sketch.add(
                     root,
                     "require",
                     "json",
                     path: "/usr/lib/ruby/3.3.0/json.rb",
                     from: "#{PRAWN}/lib/prawn.rb:90"
                   )
                 end
               )
  end

  test "unused gems: Warmstart itself is none" do
    gems = GEMS.merge("warmstart" => "/g/gems/warmstart-1.0.0")
    sketch = ProfileSketch.new(gems: gems)
    sketch.add(nil, "program", "main.rb", path: "/app/main.rb", own: 1) do |root|
      %w[warmstart prawn].each do |name|
        sketch.add(root, "require", name, path: "#{gems[name]}/lib/#{name}.rb", from: "/app/config/boot.rb:3", own: 10)
      end
    end
    assert_equal %w[prawn],
                 Report.new(sketch.profile).advice.find { |advice| advice.rule == "UnusedGems" }.items.map(&:first)
  end

  test "unused gems: one that runs the application is none" do
    found =
      advice("UnusedGems") do |sketch, root|
        sketch.add(
          root,
          "require",
          "rack/server",
          path: "#{RACK}/lib/rack/server.rb",
          from: "/app/main.rb:1",
          own: 10
        ) do |top|
          sketch.add(
            top,
            "load",
            "/app/config.ru",
            path: "/app/config.ru",
            from: "#{RACK}/lib/rack/server.rb:9",
            own: 20
          )
        end
      end
    assert_nil found
  end

  test "duplicates: the same file of the same gem under two paths, and through a symbolic link" do
    found =
      advice("Duplicates") do |sketch, root|
        sketch.add(root, "require", "rack", path: "#{RACK}/lib/rack.rb", own: 4)
        sketch.add(root, "require", "rack", path: "/other/gems/rack-3.0.0/lib/rack.rb", own: 6)
        sketch.add(root, "require", "version", path: "#{PRAWN}/lib/version.rb", own: 9)
        sketch.add(root, "require", "version", path: "/other/gems/rack-3.0.0/lib/version.rb", own: 9)
      end
    assert_equal 6 * MS, found.saving
    assert_equal [["rack", 6 * MS, "from /other/gems/rack-3.0.0/lib/rack.rb"]], found.items
    return if Program::WINDOWS # (whose users may make no symbolic links)

    folder = File.realpath(temporary_folder)
    FileUtils.mkdir_p("#{folder}/real")
    File.write("#{folder}/real/a.rb", "")
    File.symlink("real", "#{folder}/link")
    found =
      advice("Duplicates") do |sketch, root|
        %w[real link].each { |name| sketch.add(root, "require", "a", path: "#{folder}/#{name}/a.rb", own: 3) }
      end
    assert_equal 3 * MS, found.saving
  end

  test "eager requires: a file of eight neighbours, none of those below it counted twice" do
    eager =
      lambda do |count|
        advice("EagerRequires") do |sketch, root|
          sketch.add(root, "require", "rack", path: "#{RACK}/lib/rack.rb", own: 1) do |top|
            count.times do |n|
              sketch.add(
                top,
                "require_relative",
                "rack/#{n}",
                path: "#{RACK}/lib/rack/#{n}.rb",
                from: "#{RACK}/lib/rack.rb:#{n}",
                own: 2
              ) do |inner|
                if n.zero?
                  9.times do |m|
                    sketch.add(
                      inner,
                      "require",
                      "rack/#{n}/#{m}",
                      path: "#{RACK}/lib/rack/#{n}/#{m}.rb",
                      from: "#{RACK}/lib/rack/#{n}.rb:1",
                      own: 1
                    )
                  end
                end
              end
            end
            sketch.add(top, "require", "prawn", path: "#{PRAWN}/lib/prawn.rb", from: "#{RACK}/lib/rack.rb:99", own: 50)
          end
        end
      end
    assert_equal 25 * MS, eager.call(8).saving
    assert_equal [["rack", 25 * MS, "8 neighbours in rack"]], eager.call(8).items
    assert_equal 9 * MS, eager.call(7).saving # only rack/0 is left
  end

  test "garbage: GC time only" do
    found =
      advice("Garbage") do |sketch, root|
        sketch.add(root, "require", "a", own: 99, extra: { "gc_ns" => 30 * MS, "gc_count" => 4 })
      end
    assert_equal 30 * MS, found.saving
    assert_match(/took 30 % of the boot/, found.title)
    assert_match(/4 runs/, found.how)
    found =
      advice("Garbage") do |sketch, root|
        sketch.add(root, "require", "struck", own: 99, objects: 50, extra: { "gc_ns" => 30 * MS, "gc_count" => 4 })
        sketch.add(root, "require", "maker", own: 99, objects: 9000)
      end
    assert_equal ["maker", nil, "9,000 objects"], found.items.first
  end

  test "large files: by what was read, or by what was allocated where nothing was counted" do
    found =
      advice("LargeFiles") do |sketch, root|
        sketch.add(root, "require", "read", path: "#{RACK}/lib/read.rb", own: 20, read: 1, read_bytes: 300_000)
        sketch.add(root, "require", "made", path: "#{RACK}/lib/made.rb", own: 10, extra: { "bytes" => 9 << 20 })
        sketch.add(root, "require", "quick", path: "#{RACK}/lib/quick.rb", own: 1, read: 1, read_bytes: 300_000)
        sketch.add(root, "require", "small", path: "#{RACK}/lib/small.rb", own: 40, read: 1, read_bytes: 3000)
      end
    assert_equal 30 * MS, found.saving
    assert_equal %w[read made], found.items.map(&:first)
  end

  test "small reads: a document read in 30,000 pieces shows up by itself" do
    found =
      advice("SmallReads") do |sketch, root|
        sketch.add(
          root,
          "yaml",
          "mime-types.yml",
          path: "#{RACK}/mime-types.yml",
          own: 130,
          read_bytes: 240_000,
          extra: {
            "read" => 30_000,
            "reads_to_16" => 30_000
          }
        )
        sketch.add(root, "require", "a", path: "#{RACK}/lib/a.rb", own: 2, open: 1000, failed: 1000) # 2 µs a call
        sketch.add(
          root,
          "require",
          "b",
          path: "#{RACK}/lib/b.rb",
          own: 9,
          extra: {
            "read" => 999,
            "reads_to_16" => 999
          }
        )
      end
    assert_equal 60 * MS, found.saving
    assert_equal ["mime-types.yml", 60 * MS, "30,000 reads of 16 bytes or less, 234.4 KB in all"], found.items.first
  end

  test "documents: selves of YAML and JSON" do
    found =
      advice("Documents") do |sketch, root|
        sketch.add(root, "yaml", "a.yml", path: "/app/a.yml", own: 7)
        sketch.add(root, "json", "b.json", path: "/app/b.json", own: 5)
      end
    assert_equal ["a.yml", 7 * MS, "a.yml"], found.items.first
    assert_equal 12 * MS, found.saving
    assert_match(/2 YAML and JSON files/, found.title)
  end

  test "evals: the measured time in them" do
    found =
      advice("Evals") do |sketch, root|
        sketch.add(
          root,
          "eval",
          "/app/a.rb:3",
          own: 9,
          extra: {
            "evals" => 50,
            "eval_bytes" => 2048,
            "eval_compile_ns" => 4 * MS
          }
        )
      end
    assert_equal [4 * MS, "at most"], [found.saving, found.bound]
    assert_match(/50 evals/, found.title)
  end

  test "outside the image: by reason" do
    outside = [
      { "path" => "/app/a.rb", "reason" => "warned" },
      { "path" => "/app/b.rb", "reason" => "warned" },
      { "path" => "/app/c.rb", "reason" => "young" }
    ]
    found =
      advice("OutsideImage", more: { "files_outside_image" => outside }) do |sketch, root|
        { "a" => 3, "b" => 4, "c" => 5, "d" => 90 }.each do |name, own|
          sketch.add(root, "require", name, path: "/app/#{name}.rb", own: own)
        end
      end
    assert_equal 12 * MS, found.saving
    assert_equal [["warned", 7 * MS, "2 files, such as b.rb"], ["young", 5 * MS, "1 file, such as c.rb"]], found.items
  end

  test "repeated requires: many of them, at what the best node leaves room for" do
    found =
      advice("RepeatedRequires") do |sketch, root|
        [2, 9].each { |own| sketch.add(root, "require", "a#{own}", own: own, repeated: 1000) }
      end
    assert_equal 4 * MS, found.saving
    assert_nil(advice("RepeatedRequires") { |sketch, root| sketch.add(root, "require", "a", own: 9, repeated: 900) })
    assert_nil(
      advice("RepeatedRequires") { |sketch, root| sketch.add(root, "require", "a", own: 90, repeated: 2000) },
      "a bound that tells nothing"
    )
  end

  test "Bundler.setup: its total, once" do
    found =
      advice("BundlerSetup") do |sketch, root|
        sketch.add(root, "bundler", "Bundler.setup", own: 10) do |setup|
          sketch.add(setup, "bundler", "Bundler setup: resolve", own: 20)
        end
        sketch.add(root, "bundler", "Bundler.require", own: 30)
      end
    assert_equal 30 * MS, found.saving
  end

  test "initializers: of 50 ms and more, with what they load" do
    found =
      advice("Initializers") do |sketch, root|
        sketch.add(root, "initializer", "slow", own: 30) { |node| sketch.add(node, "require", "a", own: 25) }
        sketch.add(root, "initializer", "quick", own: 49)
      end
    assert_equal 55 * MS, found.saving
    assert_equal ["initializer slow"], found.items.map(&:first)
    assert_nil(
      advice("Initializers") do |sketch, root|
        sketch.add(root, "initializer", "struck", own: 140, extra: { "gc_ns" => 110 * MS })
      end
    )
    assert_nil(advice("Initializers") { |sketch, root| sketch.add(root, "initializer", "eager_load!", own: 300) })
  end

  test "a boot from an image is not told to use one" do
    warm = ->(rule, &block) do
      advice(rule, more: { "program" => ProfileSketch.new.profile["program"].merge("accelerator" => "warm") }, &block)
    end
    found = warm.call("Search") { |sketch, root| sketch.add(root, "require", "far", own: 2, failed: 1000) }
    refute_match(/Warmstart/, found.title)
    found =
      warm.call("RealPaths") do |sketch, root|
        sketch.add(root, "require", "a", own: 2, extra: { "readlink" => 1000, "readlink_failed" => 990 })
      end
    refute_match(/Warmstart/, found.title)
    documents = ->(sketch, root) do
      %w[yaml json].each { |kind| sketch.add(root, kind, "a.#{kind}", path: "/app/a.#{kind}", own: 5) }
    end
    assert_match(/\A1 JSON file /, warm.call("Documents", &documents).title)
    assert_match(/\A2 YAML and JSON files /, advice("Documents", &documents).title)
  end

  test "failed requires: their totals" do
    found =
      advice("FailedRequires") do |sketch, root|
        sketch.add(
          root,
          "require",
          "nokogiri",
          own: 6,
          result: "failed",
          error: "LoadError: cannot load such file -- nokogiri"
        ) { |node| sketch.add(node, "require", "nokogiri/a", own: 1, result: "failed") }
      end
    assert_equal 7 * MS, found.saving
    assert_match(/1 require failed and was rescued/, found.title)
  end
end
