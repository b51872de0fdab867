# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/command"
require_relative "../lib/warmstart/cli"
require_relative "../lib/warmstart/cli/init"

# What `warmstart init` writes into the files of CI systems: the image is kept between runs, and nothing else changes.
class InitCiTest < TestCase
  include Command

  CI = ".github/workflows/ci.yml"
  LAB = ".gitlab-ci.yml"
  BOOT = "require \"bundler/setup\" # Set up gems.\n"
  INIT = Warmstart::CLI::Init

  SET_UP = <<-YAML
      - name: Checkout code
        uses: actions/checkout@v4

      - name: Set up Ruby
        uses: ruby/setup-ruby@v1
        with:
          ruby-version: .ruby-version
          bundler-cache: true
  YAML

  # The workflow of `rails new`, in its structure. (The first Rails that writes one is 7.2.)
  def self.workflow(tests)
    <<~YAML
      name: CI

      on:
        pull_request:
        push:
          branches: [ main ]

      jobs:
        scan_ruby:
          runs-on: ubuntu-latest

          steps:
      #{SET_UP}
            - name: Scan for common Rails security vulnerabilities using static analysis
              run: bin/brakeman --no-pager

        scan_js:
          runs-on: ubuntu-latest
          steps:
      #{SET_UP}
            - name: Scan for security vulnerabilities in JavaScript dependencies
              run: bin/importmap audit

        lint:
          runs-on: ubuntu-latest
          env:
            RUBOCOP_CACHE_ROOT: tmp/rubocop
          steps:
      #{SET_UP}
            - name: Lint code for consistent style
              run: bin/rubocop -f github

      #{tests}
    YAML
  end

  def self.test_job(name, task)
    <<-YAML
  #{name}:
    runs-on: ubuntu-latest

    # services:
    #   redis:
    #     image: valkey/valkey:8
    steps:
      - name: Install packages
        run: sudo apt-get update && sudo apt-get install --no-install-recommends -y libvips

#{SET_UP}
      - name: Run tests
        env:
          RAILS_ENV: test
          # REDIS_URL: redis://localhost:6379/0
        run: bin/rails db:test:prepare #{task}

      - name: Keep screenshots from failed system tests
        uses: actions/upload-artifact@v4
        if: failure()
        with:
          path: ${{ github.workspace }}/tmp/screenshots
    YAML
  end

  RAILS = {
    "7.2" => workflow(test_job("test", "test test:system")),
    "8.0" => workflow(test_job("test", "test")) + test_job("system-test", "test:system"),
    "8.1" =>
      (workflow(test_job("test", "test")) + "\n" + test_job("system-test", "test:system")).gsub(
        /^ +ruby-version:.*\n/,
        ""
      )
  }.freeze

  def prepared(files) = application({ "config/boot.rb" => BOOT, "Gemfile" => "gem \"rails\"\n", **files })
  def text(app, name) = File.binread(app.path(name)).force_encoding("UTF-8")
  def steps(text, job) =
    Psych.load(text).dig("jobs", job, "steps").map { |step| step["name"] || step["uses"] || step["run"] }

  # All that was there is still there, in its order; --undo takes away what has been added, a second init adds nothing.
  def assert_added(name, before, more = {})
    app = prepared(name => before, **more)
    run = warmstart(app, "init")
    assert_exit 0, run
    after = text(app, name)
    difference = run.stdout[/^--- #{Regexp.escape(name)}\n.*?(?=^--- |\z)/m].to_s
    assert_equal [0, after.lines.size - before.lines.size],
                 [difference.lines.drop(1).grep(/\A-/).size, difference.lines.drop(2).grep(/\A\+/).size]
    assert_complaint(/nothing to do: Warmstart is installed already/, warmstart(app, "init"))
    assert_equal after, text(app, name)
    yield after, run if block_given?
    assert_exit 0, warmstart(app, "init", "--undo")
    assert_equal before, text(app, name)
  end

  def assert_by_hand(name, before, pattern)
    app = prepared(name => before)
    run = warmstart(app, "init")
    assert_exit 0, run
    assert_match(/^warmstart: #{Regexp.escape(name)}: .*#{pattern.source}/, run.stderr)
    assert_equal before, text(app, name)
  end

  RAILS.each do |version, before|
    test "the workflow of Rails #{version}: the steps are put into the jobs that boot the application" do
      assert_added(CI, before) do |after, run|
        assert_match(%r{^warmstart: changed config/boot\.rb, Gemfile, \.github/workflows/ci\.yml; next: }, run.stderr)
        ours = ["Find the boot image's key", "Keep the boot image"]
        Psych.load(after)["jobs"].each_key do |job|
          assert_equal %w[scan_js test system-test].include?(job) ? ours : [], steps(after, job) & ours, job
        end
        assert_equal ["Set up Ruby", *ours, "Run tests"], steps(after, "test")[2, 4]
        assert_includes after,
                        "          bundler-cache: true\n\n      # Keeps Warmstart's boot image between runs (written by: warmstart init).\n      - name: Find"
        assert_includes after, "\n\n      - name: Keep the boot image\n        uses: actions/cache@v4\n"
        assert_includes after, "outputs.prefix }}\n\n      - name: Run tests\n"
      end
    end
  end

  test "Windows' line ends, other indents, quotes, comments, no blank lines" do
    assert_added(CI, RAILS["8.1"].gsub("\n", "\r\n"))
    assert_added(CI, <<~YAML)
      on: push
      jobs:
          test: # all of them
              runs-on: ${{ matrix.os }}
              steps:
              - uses: "actions/checkout@v4"
              # Ruby
              -   uses: 'ruby/setup-ruby@v1' # the newest
                  with: { bundler-cache: true } # (fast)
              # then
              - run: |
                  bundle exec rake
                  bundle exec rspec
    YAML
    assert_added(CI, JOB.sub("cache: true\n", "cache: true\n          x: >\n            a\n\n      # after\n\n")) # (a step that ends with a text)
  end

  test "what has changed since stays when the steps are taken out, also where a tool has brought a newer action" do
    app = prepared(CI => RAILS["8.0"])
    warmstart(app, "init")
    edit = ->(all) do
      all
        .sub("ubuntu-latest", "ubuntu-24.04")
        .sub("      - name: Run tests\n", "      - run: bin/rails zeitwerk:check\n\n\\0")
        .sub("name: CI", "name: Tests")
    end
    app.write(CI, edit.call(text(app, CI)).gsub("actions/cache@v4", "actions/cache@v5"))
    assert_exit 0, warmstart(app, "init", "--undo")
    assert_equal edit.call(RAILS["8.0"]), text(app, CI)
  end

  JOB =
    "on: push\njobs:\n  test:\n    runs-on: x\n    steps:\n      - uses: ruby/setup-ruby@v1\n        with:\n          bundler-cache: true\n      - run: bin/rails test\n"

  {
    "gems are installed elsewhere" => JOB.sub("bundler-cache: true", "ruby-version: 3.4"),
    "not always" => JOB.sub("        with", "        if: ${{ x }}\n\\0"),
    "in another folder" => JOB.sub("bundler", "working-directory: api\n          \\0"),
    "Windows" => JOB.sub("-on: x", "-on: windows-latest"),
    "on one line" =>
      "on: push\njobs: { test: { steps: [{ uses: ruby/setup-ruby@v1, with: { bundler-cache: true } }, { run: bin/rails test }] } }\n",
    "no YAML" => "#{JOB}\t- x: [\n"
  }.each do |what, before|
    test "in doubt nothing is changed, and one line says so: #{what}" do
      assert_by_hand(CI, before, %r{put the steps of docs/deploying\.md after that by hand})
    end
  end

  test "what has Warmstart already, has no Ruby, or boots nothing, stays" do
    [
      JOB.sub("x\n", "x\n    env: { WARMSTART_CACHE_DIR: y }\n"),
      JOB.sub("ruby/setup-ruby@v1", "actions/setup-node@v4"),
      JOB.sub("bin/rails test", "bin/rubocop")
    ].each do |before|
      app = prepared(CI => before)
      run = warmstart(app, "init")
      assert_equal [before, nil], [text(app, CI), run.stderr[/by hand/]]
    end
  end

  test "the step's shell names the folder and the key" do
    skip "a POSIX shell runs it" if Program::WINDOWS
    app =
      prepared(
        "out" => "",
        "env" => "",
        "bin/bundle" => "#!/bin/sh\nshift; shift; exec #{RbConfig.ruby} #{WARMSTART} \"$@\"\n"
      )
    File.chmod(0o755, app.path("bin/bundle"))
    script = Psych.load(INIT::Workflow::STEPS)[0]["run"]
    run =
      app.execute(
        ["sh", "-e", "-c", script],
        env: {
          "PATH" => "#{app.path("bin")}:#{ENV["PATH"]}",
          "HOME" => app.home,
          "GITHUB_ENV" => app.path("env"),
          "GITHUB_OUTPUT" => app.path("out")
        }
      )
    assert_exit 0, run
    assert_equal "WARMSTART_CACHE_DIR=#{app.home}/warmstart\n", text(app, "env")
    assert_match(/\Akey=(warmstart-\h{16}-)\h{16}\nprefix=\1\n\z/, text(app, "out"))
  end

  # ---- GitLab ----

  GITLAB = <<~YAML
    image: "ruby:3.4" # the newest

    variables:
      # for the database
      POSTGRES_DB: x

    cache:
      key:
        files: [Gemfile.lock]
      paths:
        - vendor/ruby

    before_script:
      - bundle install

    rspec:
      script:
        - bundle exec rspec
  YAML

  test "GitLab: the folder is named and kept, beside what is kept already" do
    assert_added(LAB, GITLAB) do |after|
      data = Psych.load(after)
      assert_equal ["$CI_PROJECT_DIR/tmp/cache/warmstart", %w[tmp/cache/warmstart vendor/ruby]],
                   [data["variables"]["WARMSTART_CACHE_DIR"], data["cache"]["paths"]]
    end
    [GITLAB.gsub("\n", "\r\n"), GITLAB.sub("paths:\n    -", "paths:\n  -")].each { |before| assert_added(LAB, before) }
    assert_added(LAB, GITLAB.sub(/^cache:\n(.+\n)+/) { |cache| "default:\n#{cache.gsub(/^/, "  ")}" }) do |after|
      assert_includes Psych.load(after)["default"]["cache"]["paths"], "tmp/cache/warmstart"
    end
  end

  test "GitLab: a list of caches, and none" do
    entry = { "key" => "warmstart-$CI_JOB_NAME_SLUG", "paths" => ["tmp/cache/warmstart"] }
    assert_added(LAB, GITLAB.sub(/^cache:\n(.+\n)+/, "cache:\n  - key: a\n    paths: [vendor]\n")) do |after|
      assert_equal [entry, { "key" => "a", "paths" => ["vendor"] }], Psych.load(after)["cache"]
    end
    assert_added(LAB, "rspec:\n  script:\n    - bundle exec rspec\n") do |after|
      assert_equal [entry], Psych.load(after)["cache"]
      assert_operator after, :end_with?, <<~YAML

        variables: # written by: warmstart init
          WARMSTART_CACHE_DIR: $CI_PROJECT_DIR/tmp/cache/warmstart # written by: warmstart init

        cache: # written by: warmstart init
          - { key: warmstart-$CI_JOB_NAME_SLUG, paths: [tmp/cache/warmstart] } # written by: warmstart init
      YAML
    end
  end

  test "GitLab: what has changed since stays, also below a key that was written" do
    app = prepared(LAB => "rspec:\n  script: bundle exec rspec\n")
    warmstart(app, "init")
    app.write(
      LAB,
      text(app, LAB).sub("variables: # written by: warmstart init\n", "\\0  A: 1\n").sub("rspec:", "spec:")
    )
    assert_exit 0, warmstart(app, "init", "--undo")
    assert_equal "spec:\n  script: bundle exec rspec\n\nvariables: # written by: warmstart init\n  A: 1\n",
                 text(app, LAB)
  end

  test "GitLab: in doubt nothing is changed, and one line says so" do
    [
      GITLAB.sub("- vendor/ruby", "\\0\n  x: [").chomp,
      GITLAB.sub("\n    - vendor/ruby", " [vendor/ruby]"),
      GITLAB.sub(/^  paths:\n.*\n/, ""),
      GITLAB.sub(/^cache:\n(.+\n)+/, "").chomp
    ].each do |before|
      assert_by_hand(
        LAB,
        before,
        %r{set WARMSTART_CACHE_DIR: \$CI_PROJECT_DIR/tmp/cache/warmstart and keep tmp/cache/warmstart by hand}
      )
    end
    run = warmstart(prepared(LAB => GITLAB + "  cache: []\n"), "init", "--dry-run")
    assert_match(
      %r{^warmstart: \.gitlab-ci\.yml: put tmp/cache/warmstart into the cache of rspec, too, by hand$},
      run.stderr
    )
    app = prepared(LAB => "lint:\n  script: npm run lint\n")
    refute_match(/gitlab/, warmstart(app, "init").stderr)
  end

  test "docs/deploying.md shows what is written" do
    page = File.read(File.join(Program::REPOSITORY, "docs/deploying.md")).gsub(/^    /, "")
    assert_includes page.gsub(/^ +/, ""), INIT::Workflow::STEPS.lines.drop(1).join.gsub(/^ +/, "")
    [INIT::Gitlab::VARIABLE, INIT::Gitlab::ENTRY].each { |line| assert_includes page, line }
  end
end
