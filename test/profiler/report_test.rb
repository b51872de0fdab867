# frozen_string_literal: true

require_relative "../test_helper"
require_relative "../support/profile_generator"
require_relative "../../lib/warmstart/profiler/report"

# What a report says of a profile, apart from its forms: whose the nodes are, groups, causes.
class ReportTest < TestCase
  Report = Warmstart::Profiler::Report

  def report(**options) = Report.new(ProfileGenerator.new(**options).profile)

  def sketch(**options, &block)
    sketch = ProfileSketch.new(**options)
    sketch.add(nil, "program", "main.rb", path: "/app/main.rb", own: 1) { |root| block.call(sketch, root) }
    Report.new(sketch.profile)
  end

  test "a profile of another kind or version is refused by name" do
    [{}, [], { "format" => "pprof" }].each do |raw|
      assert_match(/no profile/, assert_raises(Report::Invalid) { Report.new(raw) }.message)
    end
    raw = ProfileGenerator.new(gems: 2).profile
    assert_match(
      /version is 2; this Warmstart reads version 1/,
      assert_raises(Report::Invalid) { Report.new(raw.merge("version" => 2)) }.message
    )
    assert_match(/no nodes/, assert_raises(Report::Invalid) { Report.new(raw.merge("nodes" => [])) }.message)
    raw["nodes"].last["parent"] = 99_999
    assert_match(/has no parent 99999/, assert_raises(Report::Invalid) { Report.new(raw) }.message)
  end

  test "a profile that was cut off is a profile" do
    raw = ProfileGenerator.new(gems: 3).profile
    raw["nodes"].last(40).each { |node| %w[end_ns total self path from result].each { |name| node.delete(name) } }
    raw.select! { |name, _| %w[format version program nodes].include?(name) }
    report = Report.new(raw)
    [
      report.terminal,
      report.html,
      JSON.generate(report.firefox),
      JSON.generate(report.speedscope),
      JSON.generate(report.to_h)
    ].each { |text| refute_empty text }
  end

  test "a file is read, and what it is instead is said" do
    path = File.join(temporary_folder, "profile.json")
    assert_match(/No such file/, assert_raises(Report::Invalid) { Report.read(path) }.message)
    File.write(path, "{")
    assert_match(/no JSON/, assert_raises(Report::Invalid) { Report.read(path) }.message)
    File.write(path, JSON.generate(ProfileGenerator.new(gems: 2).profile))
    assert_equal "bin/rails runner 1", Report.read(path).profile.command
  end

  test "a node belongs to the gem, library or folder in which its file lies" do
    gems = { "rack" => "/b/ruby/3.3.0/gems/rack-3.1.8", "rack-test" => "/b/ruby/3.3.0/gems/rack-test-2.0.0" }
    report =
      sketch(gems: gems) { |sketch, root| sketch.add(root, "require", "rack", path: "#{gems["rack"]}/lib/rack.rb") }
    owners = report.profile.owners
    {
      "#{gems["rack"]}/lib/rack.rb" => [:gem, "rack"],
      "#{gems["rack-test"]}/lib/rack/test.rb" => [:gem, "rack-test"],
      "/b/ruby/3.3.0/gems/prawn-2.5.0/lib/prawn.rb" => [:gem, "prawn"],
      "/b/ruby/3.3.0/bundler/gems/shop-0a1b2c3d4e5f/lib/shop.rb" => [:gem, "shop"],
      "/b/ruby/3.3.0/extensions/x86_64-linux/3.3.0/bcrypt-3.1.20/bcrypt_ext.so" => [:gem, "bcrypt"],
      "/usr/lib/ruby/3.3.0/set.rb" => [:standard, "standard library"],
      "/usr/lib/x86_64-linux-gnu/ruby/vendor_ruby/3.3.0/x.so" => [:standard, "standard library"],
      "/usr/lib/ruby/3.3.0/rubygems/version.rb" => [:rubygems, "RubyGems"],
      "/usr/lib/ruby/vendor_ruby/rubygems.rb" => [:rubygems, "RubyGems"],
      "/usr/lib/ruby/3.3.0/bundler/setup.rb" => [:bundler, "Bundler"],
      "/b/ruby/3.3.0/gems/bundler-2.6.0/lib/bundler.rb" => [:bundler, "Bundler"],
      "/app/vendor/bundle/ruby/3.3.0/gems/money-6.0.0/lib/money.rb" => [:gem, "money"],
      "/opt/x.rb" => [:outside, "outside"]
    }.each { |path, expected| assert_equal expected, owners.of_path(path).to_a.first(2), path }
    {
      "/app/app/models/cart/item.rb" => "app/models",
      "/app/config/boot.rb" => "config",
      "/app/config/initializers/a.rb" => "config/initializers",
      "/app/main.rb" => "."
    }.each { |path, folder| assert_equal [:application, folder], owners.of_path(path).to_a.values_at(0, 2), path }
    assert_equal "app/models/cart.rb", owners.short("/app/app/models/cart.rb")
    assert_equal "rack-3.1.8/lib/rack.rb", owners.short("#{gems["rack"]}/lib/rack.rb")
    assert_equal "set.rb", owners.short("/usr/lib/ruby/3.3.0/set.rb")
  end

  test "an initializer is its gem's, by its name" do
    report =
      sketch(gems: { "active-record" => "/g/gems/active-record-7.0.0" }) do |sketch, root|
        sketch.add(root, "initializer", "active_record.log", from: nil)
        sketch.add(root, "initializer", "eager_load!", from: nil)
      end
    assert_equal %w[application active-record application], report.profile.nodes.map { |node| node.owner.name }
  end

  test "an application within a gem is the application, and a gem within an application the gem" do
    gems = { "warm" => "/src/warm", "rack" => "/src/warm/examples/shop/vendor/gems/rack-3.1.8" }
    sketch = ProfileSketch.new(gems: gems, application: "/src/warm/examples/shop")
    sketch.add(nil, "program", "main.rb")
    owners = Report.new(sketch.profile).profile.owners
    assert_equal "warm/lib/warm.rb", owners.short("/src/warm/lib/warm.rb")
    assert_equal %w[warm application rack],
                 %w[
                   /src/warm/lib/warm.rb
                   /src/warm/examples/shop/app/a.rb
                   /src/warm/examples/shop/vendor/gems/rack-3.1.8/lib/rack.rb
                 ].map { |path| owners.of_path(path).name }
  end

  test "groups are sums of selves, and together they are everything" do
    report = report()
    groups = report.groups
    [groups.by_gem, groups.by_kind].each do |list|
      %w[cpu gc objects calls failed files].each do |metric|
        assert_equal report.profile.total(metric), list.sum { |group| group[metric] }, metric
      end
      assert_equal report.profile.root.total_of("wall"), list.sum { |group| group["wall"] }
    end
    application = groups.by_gem.find { |group| group.kind == :application }
    assert_equal application["objects"], groups.by_folder.sum { |group| group["objects"] }
    assert_equal(groups.by_gem.map { |group| group["wall"] }, groups.by_gem.map { |group| group["wall"] }.sort.reverse)
    by_failed = report.groups(sort: "failed").by_gem.map { |group| group["failed"] }
    assert_equal by_failed.sort.reverse, by_failed
  end

  test "wall time is the main thread's, counts are of all threads" do
    report = report()
    thread = report.profile.roots.last
    assert_equal "thread", thread.kind
    assert_equal report.profile.root.total_of("wall"), report.profile.total("wall")
    assert_equal report.profile.root.total_of("objects") + thread.total_of("objects"), report.profile.total("objects")
  end

  test "causes do not overlap and are the whole boot; the costliest come first" do
    report = report()
    causes = report.causes.all
    assert_equal report.profile.total("wall"), causes.sum(&:time)
    assert_equal causes.map(&:time), causes.map(&:time).sort.reverse
    assert_equal ["garbage collection", "searching for files", "Bundler.setup", "parsing YAML"],
                 causes.first(4).map(&:title)
    assert_match(/\A33 runs; most of it in application, /, causes.first.detail)
    assert_match(/\A3 documents; the largest mime-types.yml, 130 ms\z/, causes[3].detail)
    assert_match(/\A49,262 opens and stats that found nothing, at most \d\.\d µs each\z/, causes[1].detail)
    assert_in_delta 1.0, causes.sum(&:share), 0.0001
  end

  test "a gem that dominates is named with its version and largest file" do
    gems = { "graphql" => "/g/gems/graphql-2.6.1" }
    report =
      sketch(gems: gems) do |sketch, root|
        sketch.add(root, "require", "graphql", path: "#{gems["graphql"]}/lib/graphql.rb", own: 200) do |top|
          sketch.add(
            top,
            "require",
            "graphql/tables",
            path: "#{gems["graphql"]}/lib/graphql/tables.rb",
            own: 700,
            extra: {
              "gc_ns" => 100_000_000,
              "gc_count" => 2
            }
          )
        end
      end
    first, second = report.causes.first(2)
    assert_equal ["loading graphql 2.6.1", 800_000_000, "2 files; the largest graphql/tables, 600 ms"],
                 [first.title, first.time, first.detail]
    assert_equal ["garbage collection", 100_000_000], [second.title, second.time]
  end

  test "waiting is a cause of its own, so that a busy machine does not hide the others" do
    report =
      sketch do |sketch, root|
        sketch.add(
          root,
          "initializer",
          "wait",
          own: 100,
          extra: {
            "cpu_ns" => 10_000_000,
            "gc_ns" => 4_000_000,
            "gc_count" => 1
          }
        )
      end
    assert_equal [
                   ["waiting", 90_000_000],
                   ["initializer wait", 6_000_000],
                   ["garbage collection", 4_000_000],
                   ["the program's own main file", 1_000_000]
                 ],
                 report.causes.all.map { |cause| [cause.title, cause.time] }
    assert_match(/most of it in application\z/, report.causes.all.first.detail)
  end

  test "a profile without CPU times has no waiting" do
    raw = ProfileGenerator.new(gems: 3).profile
    raw["nodes"].each { |node| %w[self total].each { |part| node[part].delete("cpu_ns") } }
    refute_includes Report.new(raw).causes.all.map(&:title), "waiting"
  end

  test "a node is shown by what the program asked for, or by what that is" do
    gems = { "rack" => "/g/gems/rack-3.0.0" }
    report =
      sketch(gems: gems) do |sketch, root|
        sketch.add(root, "require_relative", "../rack/body", path: "/g/gems/rack-3.0.0/lib/rack/body.rb")
        sketch.add(root, "require_relative", "../config/boot", path: "/app/config/boot.rb")
        sketch.add(root, "require", "rack", path: "/g/gems/rack-3.0.0/lib/rack.rb")
        sketch.add(root, "load", "/app/config/routes.rb", path: "/app/config/routes.rb")
        sketch.add(root, "thread", "thread 3")
      end
    assert_equal ["main.rb", "rack/body", "config/boot", "rack", "config/routes.rb", "thread 3"],
                 report.profile.nodes.map { |node| report.profile.label(node) }
  end

  test "for programs there is the raw profile with groups, causes and advice" do
    raw = ProfileGenerator.new(gems: 6).profile
    hash = JSON.parse(JSON.generate(Report.new(raw).to_h))
    assert_equal raw, hash.slice(*raw.keys)
    assert_equal %w[gems folders kinds], hash.fetch("groups").keys
    assert(hash.fetch("advice").all? { |advice| advice.fetch("saving").is_a?(Integer) && !advice.fetch("how").empty? })
    assert_equal "Bundler.setup", hash.fetch("causes").first.fetch("title")
  end

  test "names that are not UTF-8 are shown all the same" do
    raw = ProfileGenerator.new(gems: 3, names: { "activemodel" => "caf\xE9" }).profile
    report = Report.new(raw)
    assert_includes report.terminal(grep: "caf"), "caf?"
    assert JSON.generate(report.to_h)
  end
end
