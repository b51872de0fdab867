# frozen_string_literal: true

require_relative "test_helper"
require "stringio"
require_relative "gate/deep"

# The gate and bin/deep themselves: what they call green, red and not here, what they go on with, and what they write.
class GateTest < TestCase
  def before_setup
    super
    @out = StringIO.new
  end

  def folder = @folder ||= temporary_folder

  def steps(**options) = Gate::Steps.new(folder, out: @out, **options)

  # A step that prints the text and ends with the status.
  def ends(steps, name, text, status = 0, **options)
    steps.run(name, "sh", "-c", 'printf "$0"; exit $1', text, status.to_s, **options)
  end

  def results(steps) = steps.results.map { |step| [step.result, step.note, step.count] }

  test "a step is green if it ends with 0 and has done enough" do
    all = steps
    assert ends(all, "tests", '3 passed\n4 passed\n', counted: /^(\d+) passed/, at_least: 7)
    assert_equal [["green", nil, 7]], results(all)
    assert all.close
  end

  test "what was skipped is not counted" do
    all = steps
    text = '9 runs, 20 assertions, 0 failures, 0 errors, 2 skips\n'
    assert ends(all, "seven", text, counted: Gate::Deep::RAN, at_least: 7)
    refute ends(all, "eight", text, counted: Gate::Deep::RAN, at_least: 8)
    assert_equal [7, 7], all.results.map(&:count)
  end

  test "a step is red if it has done less, ends with another status, or cannot be started" do
    all = steps
    refute ends(all, "few", '3 passed\n', counted: /^(\d+) passed/, at_least: 4)
    refute ends(all, "none", "nothing", counted: /^(\d+) passed/, at_least: 1)
    refute ends(all, "fails", 'why\n', 3)
    refute all.run("no command", File.join(folder, "none"))
    assert_equal [
                   ["red", "only 3 of at least 4", 3],
                   ["red", "only 0 of at least 1", 0],
                   ["red", "exit 3", nil],
                   ["red", "exit 127", nil]
                 ],
                 results(all)
    refute all.close
    assert_match(/^FAILED: fails: exit 3\nwhy$/, @out.string)
  end

  test "a step that hangs is killed, and so is what it has started" do
    all = steps
    path = File.join(folder, "child")
    refute all.run(
             "hangs",
             RbConfig.ruby,
             "--disable-gems",
             "-e",
             "File.write(ARGV[0], spawn('sleep 60', pgroup: true).to_s); sleep",
             path,
             seconds: 0.5
           )
    assert_equal [["red", "killed after 0.5 s", nil]], results(all)
    assert_operator all.results.first.seconds, :<, 30
    refute alive?(File.read(path).to_i), "what it has started is still there"
  end

  test "a step that is stopped leaves nothing behind" do
    all = steps
    path = File.join(folder, "child")
    main = Thread.current
    stopper =
      Thread.new do
        sleep 0.01 until @out.string.include?("up\n")
        main.raise(Interrupt)
      end
    assert_raises(Interrupt) do
      all.run(
        "stopped",
        RbConfig.ruby,
        "--disable-gems",
        "-e",
        "File.write(ARGV[0], Process.pid.to_s); puts 'up'; $stdout.flush; sleep",
        path,
        seconds: 30
      )
    end
    stopper.join
    refute alive?(File.read(path).to_i), "it is still there"
    assert_empty all.results
  end

  # (What was killed takes a moment to end.)
  def alive?(pid)
    500.times do
      return false if %w[Z X].include?(File.read("/proc/#{pid}/stat")[/\) (\w)/, 1])

      sleep 0.01
    end
    true
  rescue Errno::ENOENT, Errno::ESRCH
    false
  end

  test "what cannot be had is a line of the table, and not red" do
    all = steps
    refute all.not_here("Ruby 9", "there is none")
    refute ends(
             all,
             "suite",
             'unavailable: no network\n',
             counted: /(\d+) tests/,
             at_least: 1,
             absent: /^unavailable: (.+)/
           )
    assert_equal [["not here", "there is none", nil], ["not here", "no network", 0]], results(all)
    assert all.close
    assert_match(/^Ruby 9 +0 +not here: there is none$/, @out.string)
    assert_match(/^all .* green, but incomplete: 2 not here$/, @out.string.lines.last)
  end

  test "a failure that is only told fails nothing" do
    all = steps
    assert ends(all, "head", 'new\n', 1, told: true)
    assert all.close
    assert_match(/^FAILED: head: exit 1\nnew$/, @out.string)
    assert_match(/^head +\d+ +told: exit 1$/, @out.string)
  end

  test "what was green is not run again, on the same files only" do
    first = steps(tree: "a")
    ends(first, "green", '1 passed\n', counted: /^(\d+) passed/)
    ends(first, "red", "x", 1)
    ends(first, "later", "y")
    again = steps(tree: "a", resume: true)
    counted = { counted: /^(\d+) passed/ }
    assert ends(again, "green", '2 passed\n', **counted)
    assert ends(again, "red", "x")
    assert_equal [["green", nil, 1], ["green", nil, nil]], results(again)
    assert_equal %w[green red later], Gate::Steps.results(folder).map { |step| step["name"] }
    [steps(tree: "b", resume: true), steps(tree: "a"), steps(resume: true)].each do |other|
      ends(other, "green", '2 passed\n', **counted)
      assert_equal 2, other.results.first.count
    end
  end

  test "a run goes on after a change of tests and pages, not of what users get" do
    names = Gate.product_files.map { |path| path.delete_prefix("#{Gate::ROOT}/") }
    assert_empty %w[
                   lib/warmstart.rb
                   ext/warmstart/core/image/image_format.h
                   exe/warmstart
                   examples/setup
                   warmstart.gemspec
                 ] - names
    assert_empty names.grep(%r{\A(?:test|docs|bin)/|README\.md\z|native/ruby-})
    assert_match(/\A\h{64}\z/, Gate.product)
  end

  test "the table has a line for each step, and one for all" do
    all = steps
    ends(all, "one", '3 passed\n', counted: /^(\d+) passed/)
    ends(all, "the second", "", 1)
    one, second = all.results.map { |step| step.seconds.to_s }
    lines = all.table.map(&:split)
    rows = [["one", one, "3", "green"], ["the", "second", second, "red:", "exit", "1"]]
    assert_equal [%w[step seconds tests result], *rows], lines.first(3)
    assert_equal %w[all 3 red], lines.last.values_at(0, 2, 3)
  end

  # ---- bin/deep ----

  # With sections that cost nothing, and without a look at this machine.
  class Small < Gate::Deep
    SECTIONS = { "one" => "the first", "two" => "the second", "attack" => "an attack" }.freeze
    CODE = "puts ARGV[0] + ' programs from seed 1'"

    def prepare(_names) =
      @ready =
        @state["rubies"].select { |version| version == "3.1" || @steps.not_here("#{version}: Ruby", "there is none") }

    def play_one
      @ready.each do |version|
        @steps.run(
          "#{version}: generated programs from seed #{seed(version)}",
          RbConfig.ruby,
          "--disable-gems",
          "-e",
          CODE,
          "1200",
          counted: Gate::PLAYED,
          at_least: 1200
        )
      end
    end

    def play_two
      raise Interrupt if File.exist?(File.join(@folder, "stop"))

      @steps.run("3.1: attack kills", "echo", "kills: 5 tries")
      File.write(@unsteady, "Sometimes#test_it\n", mode: "a")
    end

    def play_attack = @steps.run("3.1: attack faults", "echo", "faults: 7 tries", counted: Gate::TRIED)
  end

  PAGE = <<~MARKDOWN
    # A page

    <!-- totals -->
    | Ruby | libraries | programs | fault points | failing steps | kills | standby changes |
    | --- | ---: | ---: | ---: | ---: | ---: | ---: |
    | 3.1 | 18,000 | 999,000 |  | 3 |  |  |
    <!-- /totals -->

    More of it.
  MARKDOWN

  # @return [Array] the status, what is printed on stdout, and on stderr
  def deep(*arguments, klass: Small)
    page = File.join(folder, "page.md")
    File.write(page, PAGE) unless File.exist?(page)
    out, err = StringIO.new, StringIO.new
    traps = %w[INT QUIT].to_h { |signal| [signal, trap(signal, "DEFAULT")] }
    made =
      klass.new(
        arguments,
        folder: File.join(folder, "deep"),
        page: page,
        unsteady: File.join(folder, "unsteady.txt"),
        out: out,
        err: err
      )
    [made.run, out.string, err.string]
  ensure
    traps.each { |signal, old| trap(signal, old || "DEFAULT") }
  end

  test "deep: a wrong argument is one line and status 2" do
    [
      %w[nonsense],
      %w[attack:nonsense],
      %w[one:part],
      %w[--nonsense],
      %w[--rubies 2.7],
      %w[--share 0],
      %w[--seed x],
      %w[--record one],
      %w[--record],
      %w[--resume]
    ].each do |arguments|
      status, out, err = deep(*arguments)
      assert_equal [2, ""], [status, out], arguments.join(" ")
      assert_match(%r{\Abin/deep: .+; try --help\n\z}, err)
    end
  end

  test "deep: --list names the sections, and each has a method" do
    status, out, = deep("--list", klass: Gate::Deep)
    assert_equal 0, status
    Gate::Deep::SECTIONS.each_key do |name|
      assert_match(/^#{name}: \w/, out)
      assert Gate::Deep.private_method_defined?("play_#{name}"), name
    end
    assert_match(/^attack: .*\n  parts: .*\bkills\b/, out)
  end

  test "deep: a run ends with the table, and says what is not here, the seed, and what was unsteady in it" do
    File.write(File.join(folder, "unsteady.txt"), "Before#test_it\n")
    status, out, = deep("--seed", "7")
    assert_equal 0, status, out
    assert_match(/\Aseed 7\n/, out)
    assert_match(/^3\.1: generated programs from seed 7 +\d+ +1200 +green$/, out)
    assert_match(/^4\.0: Ruby +0 +not here: there is none$/, out)
    assert_match(/^== unsteady.*\nSometimes#test_it$/, out)
    refute_match(/Before#/, out)
    assert_match(/\Aall .* green, but incomplete: 4 not here\n\z/, out.lines.last)
  end

  test "deep: only what is asked for, and --json prints one object" do
    status, out, err = deep("one", "--rubies", "3.1", "--json", "--seed", "3")
    assert_equal 0, status, err
    report = JSON.parse(out)
    assert_equal [3, "green", ["3.1: generated programs from seed 3"]],
                 [*report.values_at("seed", "result"), report["steps"].map { |step| step["name"] }]
    assert_match(/^all /, err)
  end

  test "deep: what was stopped prints the table, and goes on with the same seed and sections" do
    FileUtils.mkdir_p(File.join(folder, "deep"))
    stop = File.join(folder, "deep/stop")
    File.write(stop, "")
    status, out, = deep("two", "one", "--rubies", "3.1", "--seed", "9")
    assert_equal 130, status
    assert_match(
      %r{^the rest of two .* not here: stopped\nall .* green, but incomplete: 1 not here\n\nstopped: bin/deep --resume goes on\n\z},
      out
    )
    File.delete(stop)
    status, out, = deep("--resume")
    assert_equal 0, status, out
    assert_match(/^== 3\.1: generated programs from seed 9: green before$/, out)
    assert_match(/^3\.1: attack kills +\d+ +green$/, out)
    refute_match(/attack faults/, out)
  end

  test "deep: --record adds the numbers of a run to the totals, once" do
    deep("one", "attack", "--rubies", "3.1")
    status, out, = deep("--record")
    assert_equal [0, "3.1: 1200 programs, 7 fault points\n"], [status, out]
    page = File.join(folder, "page.md")
    expected = PAGE.sub("| 999,000 |  | 3 |", "| 1,000,200 | 7 | 3 |")
    assert_equal expected, File.read(page)
    assert_equal [0, "nothing to add\n", ""], deep("--record")
    assert_equal expected, File.read(page)
    deep("attack", "--rubies", "3.1")
    deep("--record")
    assert_equal expected.sub("| 7 |", "| 14 |"), File.read(page)
  end

  test "deep: the totals get a row for another Ruby, and what is not of a Ruby is not counted" do
    numbers =
      Gate::Totals.of(
        [
          { "name" => "head: attack kills, seed 1", "result" => "told", "count" => 4 },
          { "name" => "head: build", "result" => "green" },
          { "name" => "3.4: generated libraries from seed 1", "result" => "not here", "count" => 0 },
          { "name" => "fuzz, seed 1", "result" => "green", "count" => 9 }
        ]
      )
    assert_equal({ "head" => { "kills" => 4 } }, numbers)
    page = File.join(folder, "page.md")
    File.write(page, PAGE)
    Gate::Totals.new(page).add(numbers)
    assert_includes File.read(page), "| 3 |  |  |\n| head |  |  |  |  | 4 |  |\n<!-- /totals -->"
  end

  test "deep: a page without totals is said" do
    deep("attack", "--rubies", "3.1")
    File.write(File.join(folder, "page.md"), "nothing\n")
    status, _, err = deep("--record")
    assert_equal 2, status
    assert_match(/has no <!-- totals -->/, err)
  end

  test "deep: the totals stand in docs/exactness.md, and its columns are those that are counted" do
    block = File.read(File.join(Program::REPOSITORY, "docs/exactness.md"))[Gate::Totals::BLOCK]
    assert_equal ["Ruby", *Gate::Totals::KINDS.keys], block.lines.first.split("|").map(&:strip)[1..-2]
  end
end
