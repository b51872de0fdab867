# frozen_string_literal: true

require "json"
require_relative "../lib/warmstart/standby_client"
require_relative "terminal"

module Benchmarks
  # Commands of the Rails applications from a process that has booted them already (docs/standby.md), beside the ordinary
  # ones and, in development, beside Spring. The CPU time of a command from a standby is that of three processes: the
  # client, the standby (which forks), and its child. The last two are read from /proc, in ticks of 10 ms, so their sum
  # over all runs is divided by the runs. (Spring's processes are not counted: only its client's CPU time is shown.)
  #
  # "The check alone" is the client that only says whether the command would come from its standby: its start, and the
  # comparison of all that the boot has asked. A watcher in the place of the comparison could save no more than that
  # (docs/dead_ends.md).
  class Standby < Benchmark
    # What is run: application, mode (nil for a tool), command; in a terminal until something is seen there, and then told
    # to end: mark, farewell, and what the mark is called.
    Case =
      Struct.new(:name, :mode, :command, :until, :mark, :farewell, keyword_init: true) do
        def title = "#{name}#{", #{mode}" if mode}: #{command.join(" ")}#{", to its #{self.until}" if self.until}"
      end
    CASES = [
      Case.new(name: "rails_app", mode: "production", command: %w[bin/rails runner 1]),
      Case.new(name: "rails_app", mode: "production", command: %w[bin/rake -T]),
      Case.new(
        name: "rails_app",
        mode: "test",
        command: %w[bin/rails test test/models/book_test.rb],
        until: "first test",
        mark: /^# Running:/
      ),
      Case.new(name: "shop", mode: "production", command: %w[bin/rails runner 1]),
      Case.new(name: "shop", mode: "development", command: %w[bin/rails runner 1]),
      Case.new(
        name: "shop",
        mode: "development",
        command: %w[bin/rails console],
        until: "prompt",
        mark: /\)> /,
        farewell: "exit"
      ),
      Case.new(name: "rubocop", command: %w[bin/rubocop --version])
    ].freeze
    CHECK = "the check alone"
    HEAD = ["", "wall", "minimum", "of bootsnap", "CPU, mean", "of bootsnap"].freeze
    PATIENCE = 60

    def run
      client = Warmstart::StandbyClient.path or raise Unavailable, "there is no client for this Ruby"
      Dir.mktmpdir do |folder|
        @folder = folder
        @more = { "XDG_RUNTIME_DIR" => folder, "WARMSTART_STANDBY" => "1" }
        @client = client
        rows =
          CASES.flat_map do |item|
            @app = application(item.name)
            Terminal.open(@app.folder) do |terminal|
              @terminal = terminal
              [
                *rows_of(item.title, measure_turns(item)),
                *([["#{item.title}: no standby, #{@why}", *[""] * (HEAD.size - 1)]] if @why)
              ]
            end
          ensure
            system(@more, client, "--stop", out: File::NULL)
          end
        { title: "commands from a standby", head: HEAD, rows: rows }
      end
    end

    private

    def variants(item)
      how = item.mode ? { mode: item.mode } : {}
      plain, bootsnap, warmstart = %w[plain bootsnap warmstart].map { |name| @app.environment(name, **how) }
      command = item.command
      {
        "plain" => [plain, command],
        "bootsnap" => [bootsnap, command],
        "spring" => (spring(bootsnap, command) if item.mode == "development"),
        "warmstart" => [warmstart, command],
        "standby" => [warmstart.merge(@more), [@client, "--", *command]]
      }.compact
    end

    # (In a terminal it would print nothing of what is waited for there.)
    def check(item, environment, (client, *command))
      item.mark ? {} : { CHECK => [environment, [client, "--why", *command]] }
    end

    # The application's bundle with Spring, in a folder of its own. nil: it cannot be had.
    def spring(environment, command)
      gemfile = File.join(@folder, "Gemfile")
      unless File.file?(gemfile)
        File.write(gemfile, "eval_gemfile #{@app.gemfile.dump}\ngem \"spring\"\n")
        FileUtils.cp(@app.lockfile, "#{gemfile}.lock")
      end
      # (Beside the example's gems. Bundler would find the folder by the example's .bundle/config, which is not here.)
      gems = File.join(Examples::FOLDER, "tmp/gems")
      more = { "BUNDLE_GEMFILE" => gemfile, "BUNDLE_PATH" => gems, "SPRING_TMP_PATH" => @folder }
      installed =
        system(environment.merge(more), "bundle", "install", chdir: @app.folder, out: File::NULL, err: File::NULL)
      if installed
        [environment.merge(more), ["bundle", "exec", "spring", *command.map { |word| word.delete_prefix("bin/") }]]
      end
    end

    # Notes in @why why there is no standby.
    # @return [Hash{String => Array<Array(Float, Float)>}] wall and CPU seconds of each run
    def measure_turns(item)
      variants = variants(item)
      2.times { variants.each_value { |variant| once(item, *variant) } }
      @why = why_none(item, *variants.fetch("standby"))
      @why ? variants.delete("standby") : variants.update(check(item, *variants.fetch("standby")))
      results = variants.transform_values { [] }
      @runs.times { variants.each { |name, variant| results[name] << once(item, *variant) } }
      results
    ensure
      stop, _ = variants&.fetch("spring", nil)
      system(stop, "bundle", "exec", "spring", "stop", chdir: @app.folder, out: File::NULL, err: File::NULL) if stop
    end

    def once(item, environment, command)
      others = standby_ticks
      wall, cpu =
        if item.mark
          @terminal.measure(environment, command, item.mark, item.farewell)
        else
          run_whole(environment, command)
        end
      sleep 0.05 # (until the standby has reaped its child)
      [wall, cpu + ((standby_ticks - others) / TICKS)]
    end

    def run_whole(environment, command)
      before, began = Process.times, now
      system(environment, *command, chdir: @app.folder, in: File::NULL, out: File::NULL, exception: true)
      wall = now - began
      after = Process.times
      [wall, after.cutime + after.cstime - before.cutime - before.cstime]
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    def standbys = JSON.parse(IO.popen(@more, [@client, "--status", "--json"], &:read))

    # Of all that wait, and of their children that have ended.
    def standby_ticks
      standbys.sum do |standby|
        File.read("/proc/#{standby["pid"]}/stat")[/\) (.*)/, 1].split.values_at(11, 12, 13, 14).sum(&:to_i)
      rescue SystemCallError
        0
      end
    end

    # @return [String, nil] why no standby waits for this command; nil: one does
    def why_none(item, environment, command)
      began = now
      until (states = standbys.to_h { |standby| [standby["state"], standby["why"]] }).key?("waits")
        return states["unfit"] || states.inspect if now - began > (states.key?("unfit") ? PATIENCE / 6 : PATIENCE)

        sleep 0.5
        once(item, environment, command) unless states.key?("boots")
      end
    end

    def rows_of(title, results)
      units = Warmstart::Units
      peer = results.fetch("bootsnap")
      results.map do |name, runs|
        wall = median(runs)
        [
          "#{title}: #{name}",
          units.seconds(wall),
          units.seconds(runs.map(&:first).min),
          units.ratio(wall / median(peer)),
          units.seconds(mean(runs)),
          units.ratio(mean(runs) / mean(peer))
        ]
      end
    end

    def median(runs) = runs.map(&:first).sort[runs.size / 2]
    def mean(runs) = runs.sum(&:last) / runs.size
  end
end
