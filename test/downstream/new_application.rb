# frozen_string_literal: true

require "digest"
require "fileutils"
require "net/http"
require "rbconfig"
require "socket"
require_relative "../support/terminal"
require_relative "suite"

module Downstream
  # A new application as `rails new` and `warmstart init` make it (see the README), with the servers and preloaders that
  # people add. A "test" is a command that is typed in it, or a server that is started, asked and stopped. Its outcome
  # is the output, the status, and every file of the application afterwards. The commands depend on one another, as in a
  # day's work.
  class NewApplication
    # (on newer Rubies unicorn's kgio ends with a segmentation fault)
    GEMS = [
      "spring",
      "falcon",
      "sidekiq",
      "rspec-rails",
      "roda",
      *("unicorn" if Gem::Version.new(RUBY_VERSION) < Gem::Version.new("3.2"))
    ].freeze
    RAILS = { "3.1" => "7.2.4" }.freeze # (Rails 8 needs Ruby 3.2)
    NEWEST_RAILS = "8.1.4"
    # A gem that is small, needs no other, and prints what it is. The application starts with the first version.
    VERSIONS = %w[2.2.1 2.3.0].freeze
    PAINT = [
      "bin/rails",
      "runner",
      "p Paint::VERSION, (Post.answer if Post.respond_to?(:answer)), $LOADED_FEATURES.filter_map { |path| path[%r{/gems/(paint.*)}, 1] }"
    ].freeze
    # Of Debian: the rows that need one are left out without it.
    PROGRAMS =
      %w[redis-server passenger chromium chromedriver git]
        .select { |name| ENV.fetch("PATH").split(":").any? { |folder| File.executable?(File.join(folder, name)) } }
        .freeze
    LIMIT = 300 # seconds for one command
    # What is typed into irb and the console, or into the debugger, as soon as its prompt is there: lines that are edited,
    # completed, broken off (Ctrl-C), searched for (Ctrl-R) and taken from the history; at last the end (Ctrl-D).
    PROMPT, MORE = /[\d)]> /, /[\d)]\* /
    TALK_WITH_IRB = [
      [PROMPT, "6 * 7\r"],
      [/=> 42\r.*#{PROMPT}/m, "\e[A\e[D1\x011\r"],
      [/=> 272\r.*#{PROMPT}/m, "42.bit_le\t\r"],
      [/=> 6\r.*#{PROMPT}/m, "def x\r"],
      [MORE, "8\r"],
      [/ 8\e.*#{MORE}/m, "end\r"],
      [/=> :x\r.*#{PROMPT}/m, "x + \x03"],
      [/\^C\r.*#{PROMPT}/m, "\x12* 7\r\r"],
      [/=> 42\r.*#{PROMPT}/m, "raise 'no'\r"],
      [/RuntimeError.*#{PROMPT}/m, "\x04"]
    ].freeze
    TALK_WITH_DEBUGGER = [
      [/\(rdbg\)./, "value\r"],
      [/41.*\(rdbg\)./m, "value += 2\r"],
      [/43.*\(rdbg\)./m, "\e[A\x7f-\x7f1\r"],
      [/44.*\(rdbg\)./m, "info locals\r"],
      [/%self.*\(rdbg\)./m, "continue\r"]
    ].freeze
    RESULTS = /(?:^|\r)(?:=> .*|.*Error.*|\d+ runs.*|.*value = .*|4\d)/
    # What differs in each run: times, durations, numbers of processes and ports, addresses, random values. And
    # Warmstart's own task among Rake's.
    UNSTEADY = [
      [/(?<!\d)20\d{12}(?!\d)|20\d\d_\d\d_\d\d_\d{6}/, "STAMP"],
      [/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| UTC| [+-]\d{4})?/, "TIME"],
      [%r{\d+(?:\.\d+)? ?(?:ms|s|seconds?|i/s)\b}, "DURATION"],
      [%r{\d+\.\d+ (?:runs|assertions)/s}, "RATE"],
      [/0x\h{8,}/, "ADDRESS"],
      [/\b\h{8}-\h{4}-\h{4}-\h{4}-\h{12}\b/, "UUID"],
      [/\b\h{32,}\b/, "HEX"],
      [/127\.0\.0\.1:\d+/, "HOST"],
      [/(pid[:= ]+|PID: |\[|worker=\d+ pid=)\d{2,}\b/i, "\\1PID"],
      [/seed:? \d+/, "SEED"],
      [/\btid=\w+/, "TID"],
      [/\(\d+\.\d+\)/, "(DURATION)"],
      [/Spring preloader in process \d+/, "Spring preloader"],
      [/^.*\bwarmstart:clear\b.*\n/, ""]
    ].freeze
    # Files in these folders of the application come and go, or contain times. What matters of them is in the output.
    LOOSE = %r{\A(?:tmp|log|storage|\.git)/|\.sqlite3|\Aconfig/(?:credentials|master)}

    attr_reader :name

    def initialize(name)
      @name = name
      @more = { "WARMSTART" => "0", "DISABLE_BOOTSNAP" => "1" } # (while the application is made)
    end

    def for_this_ruby? = true

    # Makes the application, once for each Ruby.
    def prepare
      make unless File.directory?(template)
    end

    # Resolves the gems of a new application, and stores their versions. (The generator that writes its Gemfile has to be
    # installed for that.)
    def lock
      generate
      must(application, "bundle", "lock", "--add-platform", "ruby")
      locked.keep(File.join(application, "Gemfile"))
      FileUtils.rm_rf(work)
    end

    # @yield [String, Run] without "sealed": a day's work changes files, and a sealed image does not notice that
    def each_run
      FileUtils.rm_rf([cache, texts])
      yield "plain", run("plain", "WARMSTART" => "0")
      yield "plain again", run("plain_again", "WARMSTART" => "0")
      yield "recording", run("recording")
      yield "warm", run("warm")
    end

    private

    def work = File.join(Suite::WORK, "rails", RbConfig::CONFIG["ruby_version"])
    def template = File.join(work, "template")
    def application = File.join(work, "application")
    def cache = File.join(work, "cache")
    def texts = File.join(work, "texts")
    def hits = File.join(work, "hits")

    def environment
      {
        "HOME" => File.join(work, "home"),
        "LANG" => "C.UTF-8",
        "PATH" => ENV.fetch("PATH"),
        "TMPDIR" => work,
        "BUNDLE_PATH" => File.join(Suite::WORK, "gems"),
        "BUNDLE_SILENCE_ROOT_WARNING" => "1",
        "WARMSTART_CACHE_DIR" => cache,
        "EDITOR" => "cat",
        "SPRING_TMP_PATH" => work,
        "DOWNSTREAM_HITS" => hits,
        **ENV.to_h.slice(*Suite::CERTIFICATES)
      }
    end

    def locked = Lock.new(name, "ROOT" => Suite::ROOT)

    # (Bundler keeps the versions of the lockfile, and adds and removes only what the Gemfile does. The commands below
    # change the Gemfile, so it is not frozen.)
    def make
      generate { |gemfile| locked.put(gemfile) }
      must(application, "bundle", "install", "--quiet")
      install_parts
      said = must(application, "bundle", "exec", "warmstart", "init")
      raise "warmstart init complains of what `rails new` makes:\n#{said}" if said.match?(/^warmstart: (?!changed )/)

      VERSIONS.reverse_each do |version|
        paint(version)
        must(application, "bundle", "install", "--quiet")
      end
      File.rename(application, template)
    end

    # What `rails new` makes, with our gems in its Gemfile.
    # @yield [String] each Gemfile, before its gems are installed
    def generate
      FileUtils.rm_rf(work)
      outer = File.join(work, "outer")
      FileUtils.mkdir_p([outer, environment["HOME"]])
      gemfile = File.join(outer, "Gemfile")
      File.write(
        gemfile,
        "source \"https://rubygems.org\"\ngem \"rails\", \"#{RAILS.fetch(RUBY_VERSION[/\A\d+\.\d+/], NEWEST_RAILS)}\"\n"
      )
      yield gemfile if block_given?
      must(outer, "bundle", "install", "--quiet")
      must(
        outer,
        "bundle",
        "exec",
        "rails",
        "new",
        application,
        "--name",
        "shop",
        "--skip-git",
        "--skip-bundle",
        "--quiet"
      )
      write_gemfile
      yield File.join(application, "Gemfile") if block_given?
    end

    # (without error_highlight: an older Bundler cannot use another version of it than the one that Ruby has activated)
    def write_gemfile
      path = File.join(application, "Gemfile")
      ours = [
        "gem \"paint\", #{VERSIONS.first.dump}",
        *GEMS.map { |gem| "gem #{gem.dump}, require: false" },
        "gem \"warmstart\", path: #{Suite::ROOT.dump}"
      ]
      File.write(path, "#{File.read(path).gsub(/^.*error_highlight.*\n/, "")}\n#{ours.join("\n")}\n")
    end

    # Does what `rails new` does after `bundle install`, as far as this version of Rails has it.
    def install_parts
      tasks = capture(%w[bin/rails -T], folder: application).first
      parts = %w[
        importmap:install
        turbo:install
        stimulus:install
        solid_cache:install
        solid_queue:install
        solid_cable:install
      ]
      parts.each { |task| must(application, "bin/rails", task) if tasks.include?(task) }
    end

    def must(folder, *command)
      output, status = capture(command, folder: folder, limit: 4 * LIMIT) # (extensions of gems are compiled)
      unless status == "exit 0"
        raise Unavailable, "#{name}: #{command.join(" ")}: #{[*output.lines.last(5), status].join.strip}"
      end

      output
    end

    # Runs all commands in a fresh copy at the same place.
    def run(start, more = {})
      FileUtils.rm_rf([application, hits])
      FileUtils.cp_r(template, application, preserve: true)
      @more = more
      @texts = File.join(texts, start)
      FileUtils.mkdir_p(@texts)
      begun = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      outcomes = commands.to_h { |label, action| [label, outcome(label, *instance_exec(&action))] }
      Run.new(
        outcomes,
        "exit 0",
        "",
        (Process.clock_gettime(Process::CLOCK_MONOTONIC) - begun).round(1),
        File.exist?(hits) ? File.read(hits).to_i : 0
      )
    end

    # (The text is stored in tmp/downstream, so that one can see what differs.)
    def outcome(label, output, status)
      text = "#{label}\n#{normal(output)}\n#{status}\n#{files}\n"
      File.write(File.join(@texts, "#{label.tr("^a-zA-Z0-9", "-")[0, 80]}.txt"), text)
      "#{status == "exit 0" ? "pass" : "fail"} #{Digest::MD5.hexdigest(text)[0, 8]}"
    end

    def normal(text) = UNSTEADY.inject(text) { |rest, (pattern, word)| rest.gsub(pattern, word) }

    def files
      paths =
        Dir
          .glob("**/*", File::FNM_DOTMATCH, base: application)
          .select { |path| File.file?(File.join(application, path)) && !path.match?(LOOSE) }
      paths
        .map do |path|
          "#{normal(path)} #{Digest::MD5.hexdigest(normal(File.binread(File.join(application, path)).force_encoding("UTF-8").scrub))[0, 8]}"
        end
        .sort
        .join("\n")
    end

    def capture(command, folder: application, input: "", more: @more, limit: LIMIT)
      reader, writer = IO.pipe
      stdin, feed = IO.pipe
      pid =
        Process.spawn(
          { **environment, **more },
          *command,
          chdir: folder,
          in: stdin,
          out: writer,
          err: writer,
          unsetenv_others: true,
          pgroup: true
        )
      [writer, stdin].each(&:close)
      output = Thread.new { reader.read.force_encoding(Encoding::UTF_8).scrub }
      waiter = Process.detach(pid)
      feed.write(input)
      feed.close
      ended = waiter.join(limit)
      kill(:KILL, -pid) unless ended
      [output.value, ended ? waiter.value.to_s.sub(/\Apid \d+ /, "") : "no end in #{limit} s"]
    end

    def kill(signal, pid)
      Process.kill(signal, pid)
    rescue Errno::ESRCH
      nil
    end

    # Types a command of the day. (In a day by standby it is typed twice.)
    # @return [Array(String, String)] its output, and how it ended
    def ask(*command, folder: application, input: "", **variables)
      capture([*before, *command], folder: folder, input: input, more: with(variables))
    end

    # Types a command into a terminal, and talks with it. What a line editor draws depends on how fast it is, so the
    # results of the lines are the outcome, with what is left in the histories and in the terminal's settings.
    def converse(terminal, command, talk, **variables)
      FileUtils.rm_f(histories)
      told = { **environment, "TERM" => "xterm", "NO_COLOR" => "1", **with(variables) }
      words = told.map { |name, value| "#{name}=#{value}" }
      shown, status = terminal.converse(["env", "-i", *words, *before, *command], talk)
      results = shown.gsub(/\e\[[\d;?]*[A-Za-z]/, "").scan(RESULTS).map(&:strip)
      settings, = terminal.converse(%w[stty -a], [])
      [[*results, *histories.map { |path| File.read(path) }, settings].join("\n"), "exit #{status}"]
    end

    def histories = Dir[File.join(environment["HOME"], ".*_history")].sort

    def with(variables) = @more.merge(variables.transform_keys(&:to_s))

    # What stands before a command that is typed, or a server's.
    def before = []

    def all(*results) = [results.map(&:first).join("\n"), results.map(&:last).uniq.join(", ")]

    # {what is typed => a block that returns [output, how it ended]}
    def commands = [*daily, *reading, *generators, *programs, *terminals, *servers, *preloader, *versions, *ending]

    # @return [Array] a label, which names the test, and a block that runs the command
    def typed(*command, input: "", **variables)
      label = [*variables.map { |name, value| "#{name}=#{value}" }, *command].join(" ")
      label = "#{label} <<< #{input.strip.tr("\n", ";")}" unless input.empty?
      [label, -> { ask(*command, input: input, **variables) }]
    end

    def daily
      [
        typed("bin/rails", "about"),
        typed("bin/rails", "generate", "scaffold", "Post", "title:string", "body:text"),
        typed("bin/rails", "db:prepare"),
        typed("bin/rails", "runner", "p Post.create!(title: 'a').persisted?, Post.count"),
        typed("bin/rails", "routes"),
        typed("bin/rails", "console", input: "Post.count\nPost.new(title: :b)\nreload!\nPost.name\nraise 'no'\n"),
        typed("bin/rails", "test"),
        typed("bin/rails", "test", "test/models/post_test.rb", "-v"),
        typed("bin/rails", "generate", "migration", "AddPriceToPosts", "price:decimal"),
        typed("bin/rails", "server", "-d", "--no-such-option"),
        typed("bin/rails", "runner", "Post.no_such_method"),
        typed("bin/rails", "test", PENDING: "1"), # (says that a migration is pending)
        typed("bin/rails", "db:migrate"),
        typed("bin/rails", "db:rollback"),
        typed("bin/rails", "db:migrate", VERBOSE: "false"),
        typed("bin/rails", "db:migrate:status"),
        typed("bin/rails", "db:schema:dump"),
        typed("bin/rails", "db:seed:replant"),
        typed("bin/rails", "runner", "-e", "test", "p Rails.env, Rails.application.config.eager_load"),
        typed(
          "bin/rails",
          "runner",
          "p Rails.env, Rails.application.config.eager_load, Post.name",
          RAILS_ENV: "production",
          SECRET_KEY_BASE_DUMMY: "1"
        ),
        typed("bin/rails", "no:such:task"),
        typed("bin/rake", "-T"),
        typed("bin/rake", "zeitwerk:check")
      ]
    end

    def reading
      [
        typed("bin/rails", "--help"),
        typed("bin/rails", "generate", "--help"),
        typed("bin/rails", "stats"),
        typed("bin/rails", "notes"),
        typed("bin/rails", "middleware"),
        typed("bin/rails", "initializers"),
        typed("bin/rails", "time:zones:local"),
        typed("bin/rails", "credentials:show"),
        typed("bin/rails", "credentials:edit"),
        typed("bin/rails", "secret"),
        typed("bin/rails", "dev:cache"),
        typed("bin/rails", "routes", "--expanded", "-c", "posts"),
        typed("bin/rails", "runner", "-", input: "p __FILE__, $0, __dir__, ARGV, caller\n"),
        typed("bin/rubocop", "--format", "simple"),
        typed("bin/brakeman", "--no-pager", "--quiet", "--no-progress"),
        typed("bin/setup", "--skip-server"),
        typed("bundle", "exec", "rake", "about"), # (no task of Rake's: the error)
        typed("bundle", "exec", "rails", "runner", "p $PROGRAM_NAME, Bundler.default_gemfile.basename")
      ]
    end

    def generators
      [
        typed("bin/rails", "generate", "model", "Comment", "post:references", "text:text"),
        typed("bin/rails", "generate", "controller", "Pages", "home"),
        typed("bin/rails", "generate", "mailer", "Notice", "greeting"),
        typed("bin/rails", "generate", "job", "Cleanup"),
        typed("bin/rails", "generate", "channel", "Chat"),
        typed("bin/rails", "generate", "system_test", "posts"),
        typed("bin/rails", "generate", "task", "shop", "count"),
        typed("bin/rails", "destroy", "controller", "Pages", "home"),
        typed("bin/rails", "generate", "no_such_generator"),
        typed("bin/rails", "db:migrate"),
        ["a page whose driver is Rack, as a system test", -> { system_test }],
        typed("bin/rails", "plugin", "new", "engines/forum", "--mountable", "--skip-git", "--skip-bundle"),
        ["an engine of the application's own", -> { engine }],
        typed("bin/rails", "shop:count"),
        typed("bin/rails", "test:all", "--seed=1"),
        *(
          if (%w[chromium chromedriver] - PROGRAMS).empty?
            [["a page in a browser, as a system test", -> { browser_test }]]
          end
        ),
        typed("bin/rails", "assets:precompile", RAILS_ENV: "production", SECRET_KEY_BASE_DUMMY: "1"),
        typed("bin/rails", "assets:clobber")
      ]
    end

    # Tests of other kinds, and programs beside Rails.
    def programs
      [
        ["tests in parallel", -> { parallel_test }],
        ["rspec, with a spec_helper", -> { specs("spec/number_spec.rb", "it { expect(6).to eq NUMBER }") }],
        [
          "rspec, with a rails_helper",
          -> { specs("spec/post_spec.rb", "it { expect(Post.create!.id).to eq NUMBER }") }
        ],
        ["a command that loads an application of Roda", -> { roda }],
        typed(
          "bin/rails",
          "runner",
          "require 'sidekiq'; Class.new { include Sidekiq::Job }.perform_async",
          REDIS_URL: "redis://127.0.0.1:1/0" # (nobody listens there)
        )
      ]
    end

    # What people type into a terminal, and talk with then.
    def terminals
      [
        ["bin/rails console, in a terminal", -> { in_terminal(%w[bin/rails console], TALK_WITH_IRB) }],
        ["irb, in a terminal", -> { irb }],
        ["a debugger in a test, in a terminal", -> { halting_test }]
      ]
    end

    def servers
      production = { "RAILS_ENV" => "production", "SECRET_KEY_BASE_DUMMY" => "1", "RAILS_LOG_LEVEL" => "fatal" }
      [
        [
          "bin/rails server, a file edited",
          -> { serve("bin/rails", "server", "-b", "127.0.0.1", "-p", "PORT") { |port| edit_while_serving(port) } }
        ],
        *(
          if File.exist?(File.join(template, "bin/dev"))
            [["bin/dev", -> { serve("bin/dev", "-b", "127.0.0.1", "-p", "PORT") { |port| pages(port) } }]]
          end
        ), # (Rails 7.2 has none)
        [
          "puma in a cluster",
          -> do
            serve(
              "bundle",
              "exec",
              "puma",
              "-w",
              "2",
              "--preload",
              "-b",
              "tcp://127.0.0.1:PORT",
              more: production
            ) { |port| pages(port, "/up") }
          end
        ],
        [
          "puma in a cluster, nothing preloaded",
          -> do
            serve("bundle", "exec", "puma", "-w", "2", "-b", "tcp://127.0.0.1:PORT", more: production) do |port|
              pages(port, "/up")
            end
          end
        ],
        *(
          if GEMS.include?("unicorn")
            [
              [
                "unicorn",
                -> do
                  serve("bundle", "exec", "unicorn", "-l", "127.0.0.1:PORT", more: production) do |port|
                    pages(port, "/up")
                  end
                end
              ]
            ]
          end
        ),
        [
          "falcon",
          -> do
            serve(
              "bundle",
              "exec",
              "falcon",
              "serve",
              "-n",
              "1",
              "-b",
              "http://127.0.0.1:PORT",
              more: production
            ) { |port| pages(port, "/up") }
          end
        ],
        *([["passenger", -> { passenger(production) }]] if PROGRAMS.include?("passenger")),
        ["Solid Queue does a job", -> { solid_queue }],
        *([["Sidekiq does a job", -> { sidekiq }]] if PROGRAMS.include?("redis-server"))
      ]
    end

    def preloader
      [
        typed("bundle", "exec", "spring", "rails", "runner", "p Post.name, Post.instance_methods(false)"),
        [
          "spring, a file edited",
          lambda do
            File.write(
              File.join(application, "app/models/post.rb"),
              "class Post < ApplicationRecord\n  def edited = 1\nend\n"
            )
            ask("bundle", "exec", "spring", "rails", "runner", "p Post.name, Post.instance_methods(false)")
          end
        ],
        typed("bundle", "exec", "spring", "rake", "zeitwerk:check"),
        typed("bundle", "exec", "spring", "stop")
      ]
    end

    # Other versions of a gem, and of the code.
    def versions
      [
        ["bundle update to a newer version of a gem", -> { update(VERSIONS.last) }],
        typed("bin/rails", "runner", "p Paint.mode, Rails.version"),
        ["bundle update to an older version", -> { update(VERSIONS.first) }],
        *([["a branch with another lockfile and other code, and back", -> { branches }]] if PROGRAMS.include?("git"))
      ]
    end

    def ending
      [
        typed("bin/rails", "generate", "authentication"),
        typed("bin/rails", "db:migrate", VERBOSE: "true"),
        typed("bin/rails", "test", "--seed=2"), # (the pages want somebody to log in now)
        typed("bin/rails", "tmp:clear"),
        typed("bin/rails", "log:clear"),
        typed("bin/rails", "app:update", input: "n\n" * 40),
        ["how many files come from the image", -> { count_hits }]
      ]
    end

    # Not compared: counts for the report how many files of a boot came from the image.
    def count_hits
      capture(
        [
          "bin/rails",
          "runner",
          "File.write(ENV.fetch('DOWNSTREAM_HITS'), Warmstart::Native.counts.fetch(:hit)) if defined?(Warmstart::Native)"
        ]
      )
    end

    # (more than Rails' threshold for tests in parallel, and one that fails; in a file that is taken away again)
    def parallel_test
      tests = Array.new(60) { |number| "  test(\"number #{number}\") { assert_not_equal #{number}, 41 }\n" }
      write(
        "test/models/many_test.rb",
        "require \"test_helper\"\nclass ManyTest < ActiveSupport::TestCase\n#{tests.join}end\n"
      )
      said, status = ask("bin/rails", "test", "test/models/many_test.rb", "--seed=1", PARALLEL_WORKERS: "2")
      [said.gsub(/^[.F]+$/, ""), status] # (The workers' order is chance.)
    ensure
      FileUtils.rm_f(File.join(application, "test/models/many_test.rb"))
    end

    # A spec that passes and one that fails. Then the specs change, and then the helper.
    def specs(path, example)
      helper = path.include?("post") ? "rails_helper" : "spec_helper"
      write("spec/spec_helper.rb", "require_relative \"../config/boot\"\nNUMBER = 6\n")
      write("spec/rails_helper.rb", <<~RUBY)
        require "spec_helper"
        ENV["RAILS_ENV"] = "test"
        require_relative "../config/environment"
        require "rspec/rails"
        RSpec.configure { |config| config.use_transactional_fixtures = true }
        NUMBER_OF_POSTS = Post.count
      RUBY
      write(
        path,
        "require \"#{helper}\"\nRSpec.describe \"a number\" do\n  it { expect(1).to eq 1 }\n  #{example}\nend\n"
      )
      command = ["bundle", "exec", "rspec", path]
      first = ask(*command)
      write(
        path,
        "#{File.read(File.join(application, path))}RSpec.describe(\"more\") { it { expect(NUMBER).to eq 7 } }\n"
      )
      second = ask(*command)
      write("spec/spec_helper.rb", "require_relative \"../config/boot\"\nNUMBER = 7\n")
      all(first, second, ask(*command))
    end

    def roda
      write(
        "bin/small",
        "require_relative \"../config/boot\"\nrequire_relative \"../lib/small\"\np Small.call(\"REQUEST_METHOD\" => \"GET\", \"PATH_INFO\" => ARGV[0], \"SCRIPT_NAME\" => \"\", \"rack.input\" => nil)\n"
      )
      write(
        "lib/small.rb",
        "require \"roda\"\nclass Small < Roda\n  plugin :json\n  route { |r| r.on(\"one\") { [1] } }\nend\n"
      )
      first = %w[/one /two].map { |page| ask("bundle", "exec", "ruby", "bin/small", page) }
      write("lib/small.rb", File.read(File.join(application, "lib/small.rb")).sub("[1]", "[2]"))
      all(*first, ask("bundle", "exec", "ruby", "bin/small", "/one"))
    end

    def write(path, text)
      path = File.join(application, path)
      FileUtils.mkdir_p(File.dirname(path))
      File.write(path, text)
    end

    def irb
      write("bin/irb", "require_relative \"../config/boot\"\nload Gem.bin_path(\"irb\", \"irb\")\n")
      in_terminal(%w[ruby bin/irb], TALK_WITH_IRB)
    end

    def halting_test
      write("test/models/halting_test.rb", <<~RUBY)
        require "test_helper"
        class HaltingTest < ActiveSupport::TestCase
          test "halting" do
            value = 41
            binding.break
            assert_equal 42, value
          end
        end
      RUBY
      in_terminal(%w[bin/rails test test/models/halting_test.rb], TALK_WITH_DEBUGGER)
    ensure
      FileUtils.rm_f(File.join(application, "test/models/halting_test.rb"))
    end

    def in_terminal(command, talk)
      Terminal.open(application) { |terminal| converse(terminal, command, talk) }
    rescue Terminal::Silent => error
      [error.message, "no end"]
    end

    def system_test
      File.write(
        File.join(application, "test/application_system_test_case.rb"),
        "require \"test_helper\"\nclass ApplicationSystemTestCase < ActionDispatch::SystemTestCase\n  driven_by :rack_test\nend\n"
      )
      File.write(File.join(application, "test/system/posts_test.rb"), <<~RUBY)
        require "application_system_test_case"
        class PostsTest < ApplicationSystemTestCase
          test "creating" do
            visit new_post_url
            fill_in "Title", with: "A title"
            click_on "Create Post"
            assert_text "A title"
          end
        end
      RUBY
      ask("bin/rails", "test:system")
    end

    def browser_test
      path = File.join(application, "test/application_system_test_case.rb")
      File.write(path, <<~RUBY)
        require "test_helper"
        class ApplicationSystemTestCase < ActionDispatch::SystemTestCase
          Selenium::WebDriver::Chrome::Service.driver_path = #{`which chromedriver`.strip.dump}
          driven_by :selenium, using: :headless_chrome, screen_size: [800, 600] do |options|
            options.binary = #{`which chromium`.strip.dump}
            %w[--no-sandbox --disable-dev-shm-usage].each { |option| options.add_argument(option) } # (it may be root who tests)
          end
        end
      RUBY
      ask("bin/rails", "test:system")
    end

    def paint(version)
      gemfile = File.join(application, "Gemfile")
      File.write(gemfile, File.read(gemfile).sub(/^gem "paint".*/, "gem \"paint\", \"#{version}\""))
    end

    def update(version)
      paint(version)
      all(ask("bundle", "update", "paint", "--quiet"), ask(*PAINT))
    end

    # (Both models are as long as one another, and both versions of the code are as old as `git checkout` makes them.)
    def branches
      model = File.join(application, "app/models/post.rb")
      File.write(File.join(application, ".gitignore"), "/tmp\n/log\n/storage\n*.sqlite3*\n")
      File.write(model, "class Post < ApplicationRecord\n  def self.answer = 1\nend\n")
      first = [
        git("rm -rf .git && git init -q && git add -A && git commit -qm 1 && git checkout -qb other"),
        ask(*PAINT)
      ]
      File.write(model, "class Post < ApplicationRecord\n  def self.answer = 2\nend\n")
      second = [update(VERSIONS.last), git("git commit -qam 2")]
      rest =
        %w[main other main].flat_map do |branch|
          [git("git checkout -q #{branch}"), ask(*PAINT), git("git status --short")]
        end
      all(*first, *second, *rest)
    end

    def git(line)
      who =
        { "NAME" => "a", "EMAIL" => "a@example.com" }.flat_map do |name, value|
          [["GIT_AUTHOR_#{name}", value], ["GIT_COMMITTER_#{name}", value]]
        end
      more = {
        **who.to_h,
        "GIT_CONFIG_COUNT" => "1",
        "GIT_CONFIG_KEY_0" => "init.defaultBranch",
        "GIT_CONFIG_VALUE_0" => "main"
      }
      capture(["sh", "-c", line], more: { **@more, **more })
    end

    def engine
      unless File.read(File.join(application, "Gemfile")).include?("forum")
        File.write(
          File.join(application, "Gemfile"),
          File.read(File.join(application, "Gemfile")) + "\ngem \"forum\", path: \"engines/forum\"\n"
        )
      end
      specification = File.join(application, "engines/forum/forum.gemspec")
      File.write(specification, File.read(specification).gsub(/"TODO[^"]*"/, "\"https://example.com\""))
      routes = File.join(application, "config/routes.rb")
      File.write(routes, File.read(routes).sub("draw do\n", "draw do\n  mount Forum::Engine => \"/forum\"\n"))
      all(
        ask("bundle", "install", "--quiet", "--local"),
        ask("bin/rails", "runner", "p Forum::Engine.root.basename, Forum::ApplicationController.superclass"),
        ask("bin/rails", "routes", "-g", "forum"),
        ask("bin/rails", "test", folder: File.join(application, "engines/forum"), BUNDLE_GEMFILE: "../../Gemfile")
      )
    end

    def edit_while_serving(port)
      before = pages(port, "/posts")
      view = File.join(application, "app/views/posts/index.html.erb")
      model = File.join(application, "app/models/post.rb")
      File.write(model, "class Post < ApplicationRecord\n  def self.answer = 42\nend\n")
      File.write(view, "#{File.read(view)}\n<%= Post.answer %>\n")
      sleep 1.1
      after = pages(port, "/posts")
      File.write(model, "class Post < ApplicationRecord\n  def self.answer = (\nend\n")
      broken = pages(port, "/posts")[/SyntaxError|syntax error/]
      File.write(model, "class Post < ApplicationRecord\n  def self.answer = 43\nend\n")
      [before, after, broken, pages(port, "/posts")].join("\n")
    end

    # Starts a server, calls the block with its port, and stops it.
    # (Not every server takes a socket that listens already, so another program may have taken the port meanwhile.)
    # @return [Array(String, String)] the answers, and how the server ended (not its log, whose order varies)
    def serve(*command, more: {}, tries: 3, &asks)
      port = TCPServer.open("127.0.0.1", 0) { |server| server.addr[1] }
      log = File.join(work, "server.log")
      pid =
        Process.spawn(
          { **environment, **@more, **more },
          *before,
          *command.map { |word| word.sub("PORT", port.to_s) },
          chdir: application,
          in: File::NULL,
          out: log,
          err: log,
          unsetenv_others: true,
          pgroup: true
        )
      waiter = Process.detach(pid)
      listens = wait_for(port, waiter)
      if !listens && tries > 1 && File.read(log).match?(/EADDRINUSE|Address already in use/)
        return serve(*command, more: more, tries: tries - 1, &asks)
      end

      answers = listens ? asks.call(port) : "does not listen: #{File.read(log)}"
      kill(:TERM, pid)
      ended = waiter.join(20)
      kill(:KILL, -pid)
      [
        answers,
        (
          if ended
            waiter.value.to_s.sub(/\Apid \d+ /, "").sub(/\ASIGTERM.*|\Aexit (?:0|2|143)\z/, "exit 0")
          else
            "exit 0, but it had to be killed"
          end
        )
      ]
    end

    # (The package is for Debian's Ruby; the application runs on this one.)
    def passenger(production)
      serve(
        "/usr/bin/ruby",
        "/usr/bin/passenger",
        "start",
        "--address",
        "127.0.0.1",
        "--port",
        "PORT",
        "--engine",
        "builtin",
        "--ruby",
        RbConfig.ruby,
        "--environment",
        "production",
        "--pid-file",
        "tmp/passenger.pid",
        "--log-file",
        "log/passenger.log",
        more: production
      ) { |port| pages(port, "/up", "/no_such_page") }
    end

    def wait_for(port, waiter)
      600.times do
        return TCPSocket.new("127.0.0.1", port).close || true
      rescue SystemCallError
        return false unless waiter.alive?

        sleep 0.1
      end
      false
    end

    def pages(port, *paths)
      (paths.empty? ? %w[/posts /posts/new /no_such_page /up] : paths)
        .map do |path|
          response = Net::HTTP.start("127.0.0.1", port, read_timeout: 30) { |http| http.get(path) }
          body =
            response
              .body
              .to_s
              .dup
              .force_encoding("UTF-8")
              .scrub
              .gsub(/(?:csrf-token"|authenticity_token"|nonce=?|data-session-id|__web_console)[^>]*/, "")
              .gsub(":#{port}", "")
          "#{path} #{response.code} #{body.size > 20_000 ? body[%r{<title>.*?</title>}m] : body}"
        rescue SystemCallError, IOError, Timeout::Error => error
          "#{path}: #{error.class}"
        end
        .join("\n")
    end

    def solid_queue
      return "no Solid Queue here", "exit 0" unless File.exist?(File.join(application, "bin/jobs"))

      File.write(
        File.join(application, "app/jobs/cleanup_job.rb"),
        "class CleanupJob < ApplicationJob\n  def perform(path) = File.write(path, Post.name)\nend\n"
      )
      environment = File.join(application, "config/environments/development.rb")
      File.write(
        environment,
        File.read(environment).sub("do\n", "do\n  config.active_job.queue_adapter = :solid_queue\n")
      )
      loaded = ask("bin/rails", "runner", "load Rails.root.join('db/queue_schema.rb')")
      all(loaded, job("CleanupJob.perform_later(ENV.fetch('DONE'))", "bin/jobs"))
    end

    def sidekiq
      File.write(
        File.join(application, "app/jobs/count_job.rb"),
        "require \"sidekiq\"\nclass CountJob\n  include Sidekiq::Job\n  def perform(path) = File.write(path, Post.name)\nend\n"
      )
      port = TCPServer.open("127.0.0.1", 0) { |server| server.addr[1] }
      redis =
        Process.spawn(
          "redis-server",
          "--port",
          port.to_s,
          "--bind",
          "127.0.0.1",
          "--save",
          "",
          "--dir",
          work,
          out: File::NULL,
          err: File::NULL
        )
      waiter = Process.detach(redis)
      return "redis-server does not start", "exit 1" unless wait_for(port, waiter)

      job(
        "CountJob.perform_async(ENV.fetch('DONE'))",
        "bundle",
        "exec",
        "sidekiq",
        "-c",
        "2",
        REDIS_URL: "redis://127.0.0.1:#{port}/0"
      )
    ensure
      kill(:KILL, redis) if redis
      waiter&.join
    end

    # @param code [String] asks for a job that writes the file DONE
    # @param command [Array<String>] what does jobs until it is stopped
    def job(code, *command, **variables)
      done = File.join(work, "done")
      FileUtils.rm_f(done)
      prepared = ask("bin/rails", "runner", code, DONE: done, **variables)
      pid =
        Process.spawn(
          { **environment, **with(variables) },
          *before,
          *command,
          chdir: application,
          in: File::NULL,
          out: File::NULL,
          err: File::NULL,
          unsetenv_others: true,
          pgroup: true
        )
      waiter = Process.detach(pid)
      300.times { File.exist?(done) ? break : sleep(0.1) }
      sleep 0.2
      kill(:TERM, pid)
      waiter.join(20)
      kill(:KILL, -pid)
      ["#{prepared.first}\n#{File.exist?(done) ? File.read(done) : "no job was done"}", prepared.last]
    end
  end
end
