# frozen_string_literal: true

require_relative "test_helper"
require_relative "support/command"
require_relative "support/installed_gem"
require_relative "../lib/warmstart/cli"
require_relative "../lib/warmstart/cli/init"

# `warmstart init`, and the start of applications as it leaves them: the gem is found before Bundler is loaded, wherever
# it is installed, and without it they start as before.
class InitTest < TestCase
  include Command

  BOOT =
    "ENV[\"BUNDLE_GEMFILE\"] ||= File.expand_path(\"../Gemfile\", __dir__)\n\nrequire \"bundler/setup\" # Set up gems.\n"
  # What becomes of it: four lines more.
  OURS =
    BOOT.sub(/^require "bundler/) { Warmstart::CLI::Init::BootFile::FIND + "require warmstart || \"bundler" } +
      "require \"warmstart/setup\" if !warmstart && $LOAD_PATH.resolve_feature_path(\"warmstart/setup\")\n"
  VERSION = InstalledGem::SPECIFICATION.version.to_s

  # ---- what it writes ----

  test "init writes five lines and one, once, and takes them out again" do
    files = {
      "config/boot.rb" => BOOT,
      "Gemfile" => "source \"https://rubygems.org\"\ngem \"rails\" # the framework\n"
    }
    app = application(files)
    before = Dir.glob("**/*", base: app.folder)
    dry = warmstart(app, "init", "--dry-run")
    assert_equal files, texts(app, files.keys)
    run = warmstart(app, "init")
    assert_exit 0, run
    assert_equal dry.stdout, run.stdout
    assert_equal [["+"] * 5, ["-"]],
                 run.stdout[/\A--- config.*?(?=^--- )/m]
                   .lines
                   .drop(2)
                   .map { |line| line[0] }
                   .tally
                   .slice("+", "-")
                   .map { |mark, count| [mark] * count }
                   .sort
    assert_equal OURS, File.read(app.path("config/boot.rb"))
    assert_equal "#{files["Gemfile"]}\n# Starts the application from its boot image\ngem \"warmstart\", require: false\n",
                 File.read(app.path("Gemfile"))
    assert_equal before, Dir.glob("**/*", base: app.folder)
    written = texts(app, files.keys)
    again = warmstart(app, "init")
    assert_complaint(/nothing to do/, again)
    assert_equal ["", written], [again.stdout, texts(app, written.keys)]
    assert_exit 0, warmstart(app, "init", "--undo")
    assert_equal files, texts(app, files.keys)
    assert_complaint(/nothing to do: Warmstart is not installed/, warmstart(app, "init", "--undo"))
  end

  test "what a Gemfile ends with is there again after --undo" do
    ["gem \"rails\"\n\n", "gem \"rails\"\r\n\r\n", "\n", "", "gem \"rails\" # text\n\n\n"].each do |text|
      files = { "config/boot.rb" => BOOT, "Gemfile" => text }
      app = application(files)
      assert_exit 0, warmstart(app, "init")
      assert_exit 0, warmstart(app, "init", "--undo")
      assert_equal files, texts(app, files.keys)
    end
  end

  test "files that do not end with a newline do not after --undo" do
    {
      "Gemfile" => "gem \"rails\"",
      ".gitignore" => "/log\r\n/node_modules",
      ".dockerignore" => "/log\n\n/node_modules",
      "config/boot.rb" => "x = 1\n\ny = 2"
    }.each do |name, text|
      files = { "config/boot.rb" => BOOT, "Gemfile" => "", name => text }
      app = application(files)
      assert_exit 0, warmstart(app, "init")
      added = File.binread(app.path(name))
      assert_equal ["#{text}#{text[/\r?\n/] || "\n"}", false], [added[/\A#{text}\r?\n/], added.end_with?("\n")], name
      assert_exit 0, warmstart(app, "init", "--undo")
      assert_equal files, texts(app, files.keys)
    end
  end

  {
    "quotes and a condition" => "require 'bundler/setup' if File.exist?(ENV['BUNDLE_GEMFILE'])\n",
    "parentheses, no end of line" => "require(\"bundler/setup\")",
    "two branches" => "if ENV[\"A\"]\n  require \"bundler/setup\"\nelse\n  require \"bundler/setup\"\nend\n",
    "Windows' line ends" => "require \"bundler/setup\" # x\r\n",
    "no Bundler" => "# require \"bundler/setup\"\nx = 1\n",
    "bootsnap, no end of line" => "require \"bundler/setup\"\n#{Warmstart::CLI::Init::BootFile::RAILS}"
  }.each do |what, boot|
    test "init and --undo: #{what}" do
      app = application("config/boot.rb" => boot)
      assert_exit 0, warmstart(app, "init")
      text = File.read(app.path("config/boot.rb"))
      assert_equal boot.scan(%r{^(?!#).*bundler/setup}).size, text.scan(%r{warmstart \|\| ["']bundler/setup}).size
      assert_includes(text, "require \"warmstart/setup\"")
      assert_exit 0, app.execute([RbConfig.ruby, "-c", app.path("config/boot.rb")], env: {})
      warmstart(app, "init", "--undo")
      assert_equal boot.b, File.binread(app.path("config/boot.rb"))
    end
  end

  test "it ends with the command that shows what it is worth" do
    app = application("config/boot.rb" => BOOT)
    assert_match(
      /; next: bundle install; then see what it is worth: warmstart bench -- COMMAND$/,
      warmstart(app, "init").stderr
    )
    assert_match(/; next: bundle install$/, warmstart(app, "init", "--undo").stderr)
    app.write("bin/rails", "")
    assert_match(%r{: warmstart bench -- bin/rails runner 1$}, warmstart(app, "init").stderr)
  end

  # The text that the difference makes of the old one; its context has to be there.
  def changed(text, difference)
    rest = text.lines
    done = 0
    lines =
      difference
        .split(/^(?=@@)/)
        .drop(1)
        .flat_map do |region|
          head, *marked = region.lines
          first, count = head[/-(\d+),(\d+)/].delete("-").split(",").map(&:to_i)
          before = rest[done...(count.zero? ? first : first - 1)]
          marked =
            marked.each_with_object([]) { |line, all| line.start_with?("\\") ? all.last.chomp! : all << line.dup }
          assert_equal marked.grep_v(/\A\+/).map { |line| line[1..] }, rest[(done + before.size), count]
          done += before.size + count
          before + marked.grep_v(/\A-/).map { |line| line[1..] }
        end
    (lines + rest.drop(done)).join
  end

  test "a difference has the lines that change, and no others" do
    seed = Random.new_seed % 100_000
    random = Random.new(seed)
    300.times do |number|
      old = Array.new(random.rand(30)) { "line #{random.rand(8)}\n" }
      new = old.dup
      random
        .rand(6)
        .times do
          (place = random.rand(new.size + 1)).odd? ? new.delete_at(place) : new.insert(place, "new #{random.rand(5)}\n")
        end
      [old, new].each { |lines| lines[-1] = lines[-1].chomp if lines.any? && random.rand(4).zero? }
      difference = Warmstart::CLI::Difference.unified("file", old.join, new.join)
      assert_equal new.join, changed(old.join, difference), "seed #{seed}, number #{number}"
      removed, added = %w[- +].map { |mark| difference.lines.drop(2).grep(/\A#{Regexp.escape(mark)}/).size }
      assert_operator removed + added, :<=, old.size + new.size
    end
    difference = Warmstart::CLI::Difference.unified("file", "a\nb\n#{"x\n" * 9}c\n", "a\nB\n#{"x\n" * 9}C\n")
    assert_equal "--- file\n+++ file\n@@ -1,5 +1,5 @@\n a\n-b\n+B\n x\n x\n x\n@@ -9,4 +9,4 @@\n x\n x\n x\n-c\n+C\n",
                 difference
  end

  test "what is there already stays as it is" do
    boot = "#{BOOT}require \"warmstart/setup\"\n"
    app = application("config/boot.rb" => boot, "Gemfile" => "gem \"warmstart\", path: \"../warmstart\"\n")
    assert_complaint(/nothing to do: Warmstart is installed already/, warmstart(app, "init"))
    assert_equal boot, File.read(app.path("config/boot.rb"))
  end

  test "where Bundler's line is a part of a longer expression, nothing is changed" do
    [
      "x = true &&\n  require(\"bundler/setup\")\n",
      "p(\n  # first\n\n  require(\"bundler/setup\"))\n",
      "true and\nrequire \"bundler/setup\"\n",
      "require \"bundler/setup\" \\\n  if File.exist?(__FILE__)\n",
      "require(\"bundler/setup\") ||\n  abort(\"x\")\n",
      "require(\"bundler/setup\"\n)\n",
      "require \"bundler/setup\" unless [\n  1].any?\n",
      "require \"bundler/setup\" if # always\n  true\n",
      "require \"bundler/setup\" or\n  abort\n",
      "case 1\nwhen 1 then require 'bundler/setup'\nend\n"
    ].each do |boot|
      app = application("config/boot.rb" => boot)
      run = warmstart(app, "init")
      assert_exit 1, run
      assert_complaint(%r{\Awarmstart: config/boot\.rb puts bundler/setup into .*by hand\n\z}, run)
      assert_equal boot, File.read(app.path("config/boot.rb"))
    end
  end

  # ---- in the place of bootsnap ----

  BOOTSNAP = "#{BOOT}require \"bootsnap/setup\" # Speed up boot time by caching expensive operations.\n"

  # What `rails new` has written, in excerpts.
  RAILS = {
    "8.1" => {
      "config/boot.rb" => BOOTSNAP,
      "Gemfile" => <<~GEMFILE,
        source "https://rubygems.org"

        gem "rails", "~> 8.1.4"

        # Reduces boot times through caching; required in config/boot.rb
        gem "bootsnap", require: false

        # Deploy this application anywhere as a Docker container [https://kamal-deploy.org]
        gem "kamal", require: false
      GEMFILE
      "Dockerfile" => <<~'DOCKERFILE',
        # syntax=docker/dockerfile:1
        # check=error=true
        FROM ruby:4.0.5-slim AS base
        WORKDIR /rails

        # Throw-away build stage to reduce size of final image
        FROM base AS build

        # Install application gems
        COPY vendor/* ./vendor/
        COPY Gemfile Gemfile.lock ./

        RUN bundle install && \
            rm -rf ~/.bundle/ "${BUNDLE_PATH}"/ruby/*/cache "${BUNDLE_PATH}"/ruby/*/bundler/gems/*/.git && \
            # -j 1 disable parallel compilation to avoid a QEMU bug: https://github.com/rails/bootsnap/issues/495
            bundle exec bootsnap precompile -j 1 --gemfile

        # Copy application code
        COPY . .

        # Precompile bootsnap code for faster boot times.
        # -j 1 disable parallel compilation to avoid a QEMU bug: https://github.com/rails/bootsnap/issues/495
        RUN bundle exec bootsnap precompile -j 1 app/ lib/

        # Precompiling assets for production without requiring secret RAILS_MASTER_KEY
        RUN SECRET_KEY_BASE_DUMMY=1 ./bin/rails assets:precompile




        # Final stage for app image
        FROM base

        # Run and own only the runtime files as a non-root user for security
        RUN groupadd --system --gid 1000 rails && \
            useradd rails --uid 1000 --gid 1000 --create-home --shell /bin/bash
        USER 1000:1000

        # Copy built artifacts: gems, application
        COPY --chown=rails:rails --from=build "${BUNDLE_PATH}" "${BUNDLE_PATH}"
        COPY --chown=rails:rails --from=build /rails /rails
        CMD ["./bin/thrust", "./bin/rails", "server"]
      DOCKERFILE
      ".gitignore" => "# Ignore all logfiles and tempfiles.\n/log/*\n/tmp/*\n!/log/.keep\n!/tmp/.keep\n",
      ".dockerignore" => "# Ignore all logfiles and tempfiles.\n/log/*\n/tmp/*\n!/log/.keep\n!/tmp/.keep\n"
    },
    "7.2" => {
      "config/boot.rb" => BOOTSNAP,
      "Gemfile" =>
        "source \"https://rubygems.org\"\n\ngem \"rails\", \"~> 7.2.4\"\n# Reduces boot times through caching; required in config/boot.rb\ngem \"bootsnap\", require: false\n",
      "Dockerfile" => <<~'DOCKERFILE'
        FROM ruby:3.1.2-slim AS base
        WORKDIR /rails
        FROM base AS build
        COPY vendor/* ./vendor/
        COPY Gemfile Gemfile.lock ./
        RUN bundle install && \
            rm -rf ~/.bundle/ "${BUNDLE_PATH}"/ruby/*/cache "${BUNDLE_PATH}"/ruby/*/bundler/gems/*/.git && \
            bundle exec bootsnap precompile --gemfile

        # Copy application code
        COPY . .

        # Precompile bootsnap code for faster boot times
        RUN bundle exec bootsnap precompile app/ lib/

        # Precompiling assets for production without requiring secret RAILS_MASTER_KEY
        RUN SECRET_KEY_BASE_DUMMY=1 ./bin/rails assets:precompile


        # Final stage for app image
        FROM base
        COPY --from=build /rails /rails
      DOCKERFILE
    }
  }.freeze

  BUILT = <<~'DOCKERFILE'
    RUN bundle install && \
        rm -rf ~/.bundle/ "${BUNDLE_PATH}"/ruby/*/cache "${BUNDLE_PATH}"/ruby/*/bundler/gems/*/.git

    # Copy application code
    COPY . .

    # Precompiling assets for production without requiring secret RAILS_MASTER_KEY
    RUN SECRET_KEY_BASE_DUMMY=1 ./bin/rails assets:precompile

    # Build the boot image: last, because a sealed one does not notice what changes later.
    ENV WARMSTART_CACHE_DIR="/rails/tmp/cache/warmstart"
    RUN SECRET_KEY_BASE_DUMMY=1 bundle exec warmstart build --all --seal -- bin/rails runner 1
  DOCKERFILE

  RAILS.each do |version, files|
    test "Rails #{version} as it is made: bootsnap's place is taken, in the Dockerfile, too, and given back but there" do
      app = application(files)
      dry = warmstart(app, "init", "--dry-run")
      assert_equal files, texts(app, files.keys)
      run = warmstart(app, "init")
      assert_exit 0, run
      assert_equal dry.stdout, run.stdout
      assert_complaint(
        %r{\Awarmstart: changed config/boot\.rb, Gemfile, Dockerfile; next: bundle install; then see what it is worth: warmstart bench -- COMMAND\n\z},
        run
      )
      assert_equal OURS.sub(/\n\z/, " # in the place of bootsnap\n"), File.read(app.path("config/boot.rb"))
      assert_equal files["Gemfile"].sub(
                     "\"bootsnap\", require: false",
                     "\"warmstart\", require: false # in the place of bootsnap"
                   ),
                   File.read(app.path("Gemfile"))
      dockerfile = File.read(app.path("Dockerfile"))
      assert_includes dockerfile, version == "8.1" ? BUILT.sub("build", "build -j 1") : BUILT
      refute_match(/bootsnap/, dockerfile)
      assert_match(
        %r{^# Final stage for app image\nFROM base\nENV WARMSTART_CACHE_DIR="/rails/tmp/cache/warmstart"\n},
        dockerfile
      )
      assert_equal files.slice(".gitignore", ".dockerignore"), texts(app, files.keys.grep(/ignore/))
      assert_exit 0, app.execute([RbConfig.ruby, "-wc", app.path("config/boot.rb")], env: {})
      written = texts(app, files.keys)
      assert_complaint(/nothing to do/, warmstart(app, "init"))
      assert_equal written, texts(app, written.keys)
      undone = warmstart(app, "init", "--undo")
      assert_exit 0, undone
      assert_complaint(/^warmstart: bootsnap's steps are not put back in Dockerfile; git has them$/, undone)
      assert_equal files.merge("Dockerfile" => without_steps(files["Dockerfile"])), texts(app, files.keys)
    end
  end

  # A Dockerfile of Rails' without bootsnap's steps.
  def without_steps(text)
    text.sub(/ && \\\n(?:    # -j 1.*\n)?    bundle exec bootsnap.*(?=\n)/, "").sub(
      /^# Precompile bootsnap.*\n(?:# -j.*\n)?RUN.*\n\n/,
      ""
    )
  end

  test "what replaced bootsnap is taken back when other lines have changed, also after a second init" do
    app = application(RAILS["8.1"])
    warmstart(app, "init")
    edit =
      lambda do |text|
        text
          .sub("gem \"rails\", \"~> 8.1.4\"", "gem \"rails\", \"~> 8.1.5\"")
          .sub("ENV[\"BUNDLE_GEMFILE\"] ||=", "ENV[\"BUNDLE_GEMFILE\"] =")
          .sub("FROM ruby:", "FROM our/ruby:")
          .sub("WORKDIR /rails\n", "WORKDIR /rails\nRUN true\n")
      end
    names = %w[config/boot.rb Gemfile Dockerfile]
    names.each { |name| app.write(name, edit.call(File.read(app.path(name)))) }
    app.write("config/boot.rb", edit.call(BOOTSNAP)) # (as `rails app:update` does)
    assert_exit 0, warmstart(app, "init")
    refute_includes File.read(app.path("config/boot.rb")), "bootsnap/setup"
    assert_exit 0, warmstart(app, "init", "--undo")
    expected = RAILS["8.1"].slice(*names).transform_values(&edit)
    assert_equal expected.merge("Dockerfile" => without_steps(expected["Dockerfile"])), texts(app, names)
  end

  test "a line that has got a version is the user's, and stays" do
    app = application(RAILS["8.1"])
    warmstart(app, "init")
    app.write(
      "Gemfile",
      File.read(app.path("Gemfile")).sub(
        "gem \"warmstart\", require: false",
        "gem \"warmstart\", \"~> 0.1\", require: false"
      )
    )
    assert_exit 0, warmstart(app, "init", "--undo")
    assert_equal BOOTSNAP, File.read(app.path("config/boot.rb"))
    assert_includes File.read(app.path("Gemfile")), "gem \"warmstart\", \"~> 0.1\", require: false"
  end

  {
    "one line" => ["RUN bundle install && bundle exec bootsnap precompile --gemfile\n", "RUN bundle install\n"],
    "the first of several" => ["RUN bundle exec bootsnap precompile --gemfile && \\\n    rm -rf x\n", "RUN rm -rf x\n"],
    "between others" => [
      "RUN bundle install && \\\n    bundle exec bootsnap precompile app/ lib/ && \\\n    rm -rf x\n",
      "RUN bundle install && \\\n    rm -rf x\n"
    ],
    "a binstub, a variable, a mount" => [
      "COPY . .\nRUN --mount=type=cache,target=/x A=1 ./bin/bootsnap precompile app\n",
      "COPY . .\n"
    ],
    "Windows' line ends" => ["COPY . .\r\nRUN bundle exec bootsnap precompile app\r\n", "COPY . .\r\n"]
  }.each do |what, (before, after)|
    test "a Dockerfile: #{what}" do
      app = application("config/boot.rb" => BOOTSNAP, "Dockerfile" => "FROM ruby\n#{before}CMD [\"x\"]\n")
      assert_exit 0, warmstart(app, "init")
      newline = before[/\r?\n/]
      built =
        "#{newline}# Build the boot image: last, because a sealed one does not notice what changes later.#{newline}ENV WARMSTART_CACHE_DIR=\"/var/cache/warmstart\"#{newline}RUN bundle exec warmstart build --all --seal#{newline}"
      assert_equal "FROM ruby\n#{after}#{built}CMD [\"x\"]\n", File.binread(app.path("Dockerfile"))
      assert_exit 0, warmstart(app, "init", "--undo")
      assert_equal "FROM ruby\n#{after}CMD [\"x\"]\n", File.binread(app.path("Dockerfile"))
    end
  end

  test "a Dockerfile that ends with what is kept of bootsnap's step, without a newline" do
    app =
      application("config/boot.rb" => BOOTSNAP, "Dockerfile" => "FROM ruby\nRUN bundle exec bootsnap precompile && x")
    assert_exit 0, warmstart(app, "init")
    assert_match(/^RUN x\n\n# Build.*--all --seal\z/m, File.binread(app.path("Dockerfile")))
    assert_exit 0, warmstart(app, "init", "--undo")
    assert_equal "FROM ruby\nRUN x", File.binread(app.path("Dockerfile"))
  end

  # ---- a Dockerfile without bootsnap ----

  RAILS.each do |version, files|
    test "Rails #{version} without bootsnap: the Dockerfile gets the step all the same, and --undo takes it out" do
      files = files.merge("config/boot.rb" => BOOT, "Dockerfile" => without_steps(files["Dockerfile"]))
      app = application(files.merge("Gemfile" => "gem \"rails\"\n"))
      run = warmstart(app, "init")
      assert_exit 0, run
      assert_complaint(/\Awarmstart: changed config.boot\.rb, Gemfile, Dockerfile; next: .*\n\z/, run)
      dockerfile = File.read(app.path("Dockerfile"))
      assert_includes dockerfile, BUILT
      assert_includes dockerfile, "FROM base\nENV WARMSTART_CACHE_DIR=\"/rails/tmp/cache/warmstart\"\n"
      assert_complaint(/\Awarmstart: nothing to do.*\n\z/, warmstart(app, "init"))
      undone = warmstart(app, "init", "--undo")
      assert_complaint(/\Awarmstart: changed .*\n\z/, undone)
      assert_equal files["Dockerfile"], File.read(app.path("Dockerfile"))
    end
  end

  # One stage, for production, that does not start the application.
  ONE_STAGE = "FROM ruby\nWORKDIR /app\nENV RAILS_ENV=\"production\"\nCOPY Gemfile* .\nRUN bundle install\nCOPY . .\n"

  test "a Dockerfile of one stage gets the step after what changes files, also where that has lines of its own" do
    heredoc = "RUN <<END\nrm -rf x\nEND\n"
    ["", heredoc].each do |more|
      app = application("config/boot.rb" => BOOT, "Dockerfile" => "#{ONE_STAGE}#{more}USER app\nCMD [\"x\"]\n")
      assert_exit 0, warmstart(app, "init")
      step =
        "\n# Build the boot image: last, because a sealed one does not notice what changes later.\n" \
          "ENV WARMSTART_CACHE_DIR=\"/app/tmp/cache/warmstart\"\nRUN bundle exec warmstart build --all --seal\n"
      assert_equal "#{ONE_STAGE}#{more}#{step}USER app\nCMD [\"x\"]\n", File.read(app.path("Dockerfile"))
    end
    bootsnap = "FROM ruby\nRUN bundle exec bootsnap precompile app\n#{heredoc}"
    app = application("config/boot.rb" => BOOTSNAP, "Dockerfile" => bootsnap)
    assert_exit 0, warmstart(app, "init")
    assert_includes File.read(app.path("Dockerfile")), "#{heredoc}\n# Build the boot image"
  end

  {
    "is not for production" => ONE_STAGE.sub("production", "development"),
    "has no folder of its own" => ONE_STAGE.sub(/^WORKDIR.*\n/, ""),
    "has its folder from a variable" => ONE_STAGE.sub("/app", "$APP"),
    "copies the application beside its folder" => ONE_STAGE.sub(". .", ". /other"),
    "copies a part of the application" => ONE_STAGE.sub("COPY . .", "COPY app app"),
    "installs the gems last" => ONE_STAGE.sub(/^(RUN.*\n)(.*\n)/, "\\2\\1"),
    "runs as somebody else before" => ONE_STAGE.sub("COPY . .", "USER app\nCOPY . ."),
    "has other ends of lines that go on" => "# escape=`\n#{ONE_STAGE}",
    "installs gems twice" => "FROM ruby AS test\nRUN bundle install\n#{ONE_STAGE}",
    "copies the application to another place" => "#{ONE_STAGE}FROM ruby\nCOPY --from=0 /app /srv\n",
    "copies another stage" =>
      "#{ONE_STAGE}FROM ruby AS more\nFROM ruby\nCOPY --from=more /app /app\n".sub("FROM ruby", "FROM ruby AS build"),
    "changes the application afterwards" =>
      "#{ONE_STAGE}FROM ruby\nCOPY --from=0 /app /app\nRUN useradd x && sed -i s/a/b/ app/x.rb\n",
    "copies over the application afterwards" => "#{ONE_STAGE}FROM ruby\nCOPY --from=0 /app /app\nCOPY lib lib\n"
  }.each do |what, text|
    test "a Dockerfile that #{what}: one line says what to put in by hand" do
      app = application("config/boot.rb" => BOOT, "Dockerfile.x" => text)
      run = warmstart(app, "init")
      assert_exit 0, run
      line =
        "Dockerfile.x: it is not certain where the boot image belongs; if this is for production, put RUN bundle exec " \
          "warmstart build --all --seal after the last step that changes files by hand (docs/deploying.md)"
      assert_equal ["warmstart: #{line}\n", text],
                   [run.stderr.lines.grep(/Dockerfile/).join, File.read(app.path("Dockerfile.x"))]
    end
  end

  test "a Dockerfile that installs no gems, or knows Warmstart, is left alone in silence" do
    ["FROM postgres\nRUN apt-get update\n", "#{ONE_STAGE}RUN bundle exec warmstart build --seal\n"].each do |text|
      app = application("config/boot.rb" => BOOT, "Dockerfile" => text)
      refute_match(/Dockerfile/, warmstart(app, "init").stderr)
      assert_equal text, File.read(app.path("Dockerfile"))
    end
  end

  {
    "config/boot.rb" => "#{BOOT}require \"bootsnap\"\nBootsnap.setup(cache_dir: \"x\")\n",
    "Gemfile" => "gem \"bootsnap\",\n  require: false\n",
    "Dockerfile" => "FROM ruby\nRUN if true; then bundle exec bootsnap precompile; fi\n"
  }.each do |name, text|
    test "bootsnap in a way of its own in #{name}: one line, and nothing is changed" do
      app = application(RAILS["8.1"].merge(name => text))
      before = texts(app, RAILS["8.1"].keys)
      run = warmstart(app, "init")
      assert_exit 1, run
      assert_equal "", run.stdout
      assert_complaint(/bootsnap.*by hand\n\z/, run)
      assert_equal 1, run.stderr.lines.size
      assert_equal before, texts(app, before.keys)
    end
  end

  test "the image is ignored where tmp is not, and bootsnap elsewhere is named" do
    files = {
      "config/boot.rb" => BOOTSNAP,
      ".gitignore" => "/log\n# /tmp/*\ntmp/pids\n",
      ".dockerignore" => "",
      "bin/release" => "bundle exec bootsnap precompile --gemfile\n",
      "config/puma.rb" => "# Bootsnap?\n"
    }
    app = application(files)
    run = warmstart(app, "init")
    assert_exit 0, run
    assert_complaint(%r{bootsnap is named in bin/release, config/puma\.rb, too; left unchanged}, run)
    assert_equal "#{files[".gitignore"]}\n# Warmstart's boot image\n/tmp/cache/warmstart/\n",
                 File.read(app.path(".gitignore"))
    assert_equal "# Warmstart's boot image\n/tmp/cache/warmstart/\n", File.read(app.path(".dockerignore"))
    assert_complaint(/nothing to do/, warmstart(app, "init"))
    assert_exit 0, warmstart(app, "init", "--undo")
    assert_equal files, texts(app, files.keys)
    %w[tmp /tmp /tmp/* tmp/** tmp/cache /tmp/cache/ **/tmp tmp/cache/warmstart].each do |line|
      app.write(".gitignore", "#{line}\n")
      warmstart(app, "init")
      assert_equal "#{line}\n", File.read(app.path(".gitignore"))
    end
  end

  test "what would change, as JSON; what makes no sense is said" do
    app = application(RAILS["8.1"])
    run = warmstart(app, "init", "--dry-run", "--json")
    assert_exit 0, run
    told = JSON.parse(run.stdout)
    assert_equal [true, %w[config/boot.rb Gemfile Dockerfile]],
                 [told["dry_run"], told["changes"].map { |change| change["path"] }]
    assert_match(%r{^-require "bootsnap/setup"}, told["changes"][0]["difference"])
    assert_equal RAILS["8.1"], texts(app, RAILS["8.1"].keys)
    [%w[init here], %w[init --replace-bootsnap], %w[init --root]].each do |arguments|
      run = warmstart(app, *arguments)
      assert_exit 2, run
      assert_equal 1, run.stderr.lines.size
    end
  end

  test "a file that cannot be written: one line, and the others are as they were" do
    app = application(RAILS["8.1"])
    app.as_nobody
    File.chown(0, 0, app.path("Dockerfile")) if Process.uid.zero?
    File.chmod(0o444, app.path("Dockerfile"))
    run = app.ruby(WARMSTART, "init")
    assert_exit 1, run
    assert_match(/\Awarmstart: cannot change the files: Permission denied.*Dockerfile\n\z/, run.stderr)
    assert_equal RAILS["8.1"], texts(app, RAILS["8.1"].keys)
    assert_empty Dir.glob("**/*.new", base: app.folder)
  end

  test "a file's rights stay, and where it leads" do
    app = application(RAILS["8.1"].merge("Dockerfile" => :"docker/File", "docker/File" => RAILS["8.1"]["Dockerfile"]))
    File.chmod(0o640, app.path("docker/File"))
    assert_exit 0, warmstart(app, "init")
    assert_equal "docker/File", File.readlink(app.path("Dockerfile"))
    assert_equal 0o640, File.stat(app.path("docker/File")).mode & 0o777
    assert_includes File.read(app.path("docker/File")), "warmstart build"
  end

  test "without config/boot.rb it says what to write, and prints it" do
    app = application("config/boot.rb" => nil)
    run = warmstart(app, "init")
    assert_exit 0, run
    assert_complaint(%r{there is no config/boot\.rb .*; put require "warmstart/setup" after bundler/setup}, run)
    assert run.stdout.end_with?(OURS.lines.drop(2).join.sub(" # Set up gems.", "")), run.stdout
    assert_exit 2, warmstart(app, "init", "--loader", "lib/loader.rb")
    assert_kind_of Hash, JSON.parse(warmstart(app, "init", "--json").stdout)
  end

  # ---- how the application starts then ----

  MAIN = <<~'RUBY'
    require_relative "config/boot"
    ours = $LOADED_FEATURES.grep(%r{/lib/warmstart/native\.rb\z})
    puts "bundler #{Bundler.root}", "gems #{Gem.loaded_specs.keys.sort - ["bundler"]}", "load path #{$LOAD_PATH.grep(/warmstart/).size}", "files #{ours}"
    puts "outcome #{Warmstart::Bundle.outcome}", "version #{Warmstart::VERSION}" if defined?(Warmstart::Bundle)
    require "warmstart/setup" if ENV["AGAIN"]
  RUBY

  # @param gemfile [String] its line for our gem
  def bundled(gemfile: "gem \"warmstart\", require: false", files: {})
    app = application("config/boot.rb" => BOOT, "Gemfile" => gemfile, "Gemfile.lock" => nil, "main.rb" => MAIN, **files)
    assert_exit 0, warmstart(app, "init")
    app
  end

  def environment(app, more = {})
    { "PATH" => ENV["PATH"], "LANG" => "C.UTF-8", "HOME" => app.home, "GEM_HOME" => File.join(app.base, "gems") }.merge(
      more
    ).compact
  end

  def lock(app, **more)
    run =
      app.execute(
        [RbConfig.ruby, "-S", "bundle", "install", "--local", "--quiet"],
        env: environment(app, { "BUNDLE_LOCKFILE_CHECKSUMS" => "false", **more.transform_keys(&:to_s) })
      )
    assert_exit 0, run
    sleep 0.06 # (files that are younger than the file system's clock are not recorded)
  end

  def start(app, more = {}) = app.execute([RbConfig.ruby, "-w", app.path("main.rb")], env: environment(app, more))

  def scope = File.join(RUBY_ENGINE, RbConfig::CONFIG["ruby_version"])

  # From that folder, without Bundler's setup from the second boot on, and without a file loaded twice.
  def assert_starts_from(folder, app, more = {})
    first, second = Array.new(2) { start(app, more) }
    [first, second].each { |run| assert_exit 0, run }
    assert_match(/^outcome (?!replayed)/, first.stdout, first.stderr)
    assert_match(/^outcome replayed$/, second.stdout, second.stderr)
    assert_equal first.stdout.lines.grep_v(/^outcome/), second.stdout.lines.grep_v(/^outcome/)
    assert_includes second.stdout, "files [\"#{File.realpath(folder)}/lib/warmstart/native.rb\"]\n"
    assert_includes second.stdout, "load path 1\n"
    refute_match(/warning/, first.stderr + second.stderr)
    assert_exit 0, start(app, more.merge("AGAIN" => "1"))
  end

  # Some version that any program of this user finds first, and that cannot be used.
  def install_another(app)
    folder = InstalledGem.install(File.join(app.base, "gems"), version: "0.0.9")
    FileUtils.rm_rf(Dir[File.join(folder, "lib/*/*")] - [File.join(folder, "lib/warmstart/bundler.rb")])
    sleep 0.06
  end

  # Nothing was found before Bundler was loaded.
  def assert_starts_after_bundler(folder, app)
    run = start(app)
    assert_equal ["exit 0", ""], [run.status, run.stderr]
    assert_includes run.stdout, "files [\"#{File.realpath(folder)}/lib/warmstart/native.rb\"]\n"
    refute_includes run.stdout, "outcome"
  end

  test "the gem in GEM_HOME: as the lockfile has it, though a newer one is there; then updated" do
    app = bundled
    home = File.join(app.base, "gems")
    folder = InstalledGem.install(home)
    lock(app)
    newer = InstalledGem.install(home, version: "99.1.0")
    sleep 0.06
    assert_starts_from folder, app
    app.write("Gemfile.lock", File.read(app.path("Gemfile.lock")).sub("warmstart (#{VERSION})", "warmstart (99.1.0)"))
    sleep 0.06
    assert_starts_from newer, app
    assert_includes start(app).stdout, "version 99.1.0\n"
  end

  test "the gem in BUNDLE_PATH, in the application's vendor/bundle, where .bundle/config says" do
    app = bundled
    elsewhere = File.join(app.base, "elsewhere")
    folder = InstalledGem.install(File.join(elsewhere, scope))
    lock(app, BUNDLE_PATH: elsewhere)
    assert_starts_from folder, app, "BUNDLE_PATH" => elsewhere
    FileUtils.rm_rf(elsewhere)
    folder = InstalledGem.install(app.path("vendor/bundle/#{scope}"))
    sleep 0.06
    assert_starts_from folder, app, "BUNDLE_DEPLOYMENT" => "true"
    FileUtils.rm_rf(app.path("vendor"))
    install_another(app)
    folder = InstalledGem.install(app.path("somewhere/#{scope}"))
    app.write(".bundle/config", "---\nBUNDLE_PATH: \"somewhere\"\n")
    sleep 0.06
    assert_starts_from folder, app
  end

  test "a path gem, and a git gem" do
    app = bundled(gemfile: "gem \"warmstart\", path: \"../mine\"")
    folder = File.join(app.base, "mine")
    InstalledGem.copy(folder, VERSION)
    lock(app)
    assert_starts_after_bundler folder, app
    install_another(app)
    assert_starts_from folder, app
    app.write("Gemfile", "gem \"warmstart\", git: \"https://example.org/warmstart.git\"\n")
    revision = "0123456789abcdef0123456789abcdef01234567"
    app.write(
      "Gemfile.lock",
      "GIT\n  remote: https://example.org/warmstart.git\n  revision: #{revision}\n  specs:\n    warmstart (#{VERSION})\n\n" \
        "GEM\n  specs:\n\nPLATFORMS\n  ruby\n\nDEPENDENCIES\n  warmstart!\n\nBUNDLED WITH\n   #{Gem::Specification.find_by_name("bundler").version}\n"
    )
    folder = File.join(app.base, "gems/bundler/gems/warmstart-0123456789ab")
    InstalledGem.copy(folder, VERSION)
    sleep 0.06
    assert_starts_from folder, app
  end

  test "a path with a blank in it, and a Gemfile that BUNDLE_GEMFILE names, relatively" do
    app = bundled(gemfile: "# nothing\n", files: { "other/Gemfile" => "gem \"warmstart\", path: \"../my own\"\n" })
    InstalledGem.copy(app.path("my own"), VERSION)
    install_another(app)
    lock(app, BUNDLE_GEMFILE: "other/Gemfile")
    assert_starts_from app.path("my own"), app, "BUNDLE_GEMFILE" => "other/Gemfile"
  end

  test "without the gem, without a lockfile, with an extension of another Ruby: as Bundler alone" do
    app = bundled(gemfile: "# none\n")
    app.write("Gemfile", "# none\n")
    run = start(app)
    app.write("config/boot.rb", BOOT)
    FileUtils.rm_f(app.path("Gemfile.lock")) # (Bundler writes it)
    plain = start(app)
    app.write("config/boot.rb", OURS)
    assert_equal [plain.stdout, plain.status, ""], [run.stdout, run.status, run.stderr]
    app.write("Gemfile", "gem \"warmstart\"\n")
    folder = InstalledGem.install(File.join(app.base, "gems"))
    lock(app)
    FileUtils.rm_rf(File.join(folder, "lib/warmstart/native"))
    run = start(app)
    assert_exit 0, run
    assert_equal "", run.stderr
    assert_match(/^gems .*"warmstart"\]$/, run.stdout)
    refute_includes run.stdout, "outcome"
    FileUtils.rm_rf(folder) # (Bundler does not look whether a gem's folder is there)
    gone = start(app)
    assert_equal ["exit 0", ""], [gone.status, gone.stderr]
    FileUtils.rm_rf(Dir[File.join(app.base, "gems/specifications/*")])
    missing = start(app)
    assert_match(/Bundler::GemNotFound|Could not find/, missing.stderr)
    assert_equal "exit 1", missing.status
  end

  test "through a link, and where no lockfile says which version: the application is the one that asks" do
    app = bundled
    InstalledGem.install(File.join(app.base, "installed"))
    File.symlink(File.join(app.base, "installed"), File.join(app.base, "gems"))
    FileUtils.rm_f(app.path("Gemfile.lock"))
    sleep 0.06
    2.times do
      FileUtils.rm_rf(app.path("tmp"))
      run = start(app, "BUNDLE_LOCKFILE_CHECKSUMS" => "false")
      assert_equal ["exit 0", ""], [run.status, run.stderr]
      assert_equal 1, Dir[app.path("tmp/cache/warmstart/*.manifest")].size # (Bundler has written a lockfile meanwhile)
    end
    assert_empty Dir[File.join(app.base, "installed/**/tmp")]
  end

  test "a lockfile with letters that are no ASCII, or with bytes that are none, in the locale C: as Bundler alone" do
    app = bundled(gemfile: "gem \"warmstart\", path: \"../m\u00efne\"")
    InstalledGem.copy(File.join(app.base, "m\u00efne"), VERSION)
    lock(app)
    install_another(app)
    assert_starts_from File.join(app.base, "m\u00efne"), app
    lockfile = File.binread(app.path("Gemfile.lock"))
    [lockfile, "\xFF\n".b + lockfile].product(%w[C C.UTF-8]) do |text, locale|
      plain, ours =
        [BOOT, OURS].map do |boot|
          app.write("config/boot.rb", boot)
          app.write("Gemfile.lock", text)
          start(app, "LC_ALL" => locale, "BUNDLER_VERSION" => Gem::Specification.find_by_name("bundler").version.to_s)
        end
      # (With BUNDLER_VERSION RubyGems does not read the lockfile, which in the locale C it cannot.)
      assert_equal [plain.status, plain.stderr.b[/: .*\(\w.*\)$/]],
                   [ours.status, ours.stderr.b[/: .*\(\w.*\)$/]],
                   "#{locale} #{ours.stderr}"
    end
  end

  test "under bundle exec, and where Bundler is loaded already, it is found all the same" do
    app = bundled
    InstalledGem.install(File.join(app.base, "gems"))
    lock(app)
    run = app.execute([RbConfig.ruby, "-S", "bundle", "exec", "ruby", "-w", app.path("main.rb")], env: environment(app))
    assert_exit 0, run
    assert_match(/^outcome Bundler is loaded already$/, run.stdout)
    refute_match(/warning: (already|previous)/, run.stderr)
  end

  private

  def texts(app, names) = names.to_h { |name| [name, File.read(app.path(name))] }
end
