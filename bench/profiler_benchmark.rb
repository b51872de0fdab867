# frozen_string_literal: true

require_relative "../lib/warmstart/profiler/native"
require_relative "../lib/warmstart/profiler/environment"
require_relative "../lib/warmstart/profiler/recording"

module Benchmarks
  # What profiling costs the profiled program (without `warmstart profile` itself, which waits and then reports), and
  # whether a profile's CPU time agrees with the system's. Measured in boots of the Rails application in production
  # mode.
  class Profiler < Benchmark
    Profiling = Warmstart::Profiler

    def run
      Dir.mktmpdir("warmstart-bench-") do |work|
        app = application("rails_app")
        recording = File.join(work, "recording")
        results = measure(variants(app, recording))
        rows = rows(results).map { |row| row.values_at(0, 1, 2, 3, 5, 6, 7, 8) }
        {
          title: "the boot of rails_app under the profiler",
          head: HEAD.values_at(0, 1, 2, 3, 5, 6, 7, 8),
          rows: rows + agreement(app, recording),
          measurements: results.transform_values(&:to_h)
        }
      end
    end

    private

    def variants(app, recording)
      interposer = Profiling.library("interposer")
      fresh = -> { FileUtils.rm_rf(recording) || Dir.mkdir(recording) }
      { "plain" => nil, "profiled" => interposer, "profiled --no-calls" => false }.to_h do |name, library|
        profiled =
          name == "plain" ? {} : Profiling::Environment.to_profile(recording, interposer: library || nil, base: {})
        [
          name,
          {
            command: app.boot_command,
            env: app.environment("plain").merge(profiled),
            chdir: app.folder,
            prepare: fresh
          }
        ]
      end
    end

    # A row for each figure: the profile's CPU time beside getrusage's of the same process, and the overhead according
    # to the profile.
    def agreement(app, recording)
      seconds, shares = [], []
      [@runs, 3].min.times do
        FileUtils.rm_rf(recording)
        Dir.mkdir(recording)
        environment =
          Profiling::Environment.to_profile(recording, interposer: Profiling.library("interposer"), base: {})
        usage =
          Warmstart::Bench::Measurement.take(
            app.boot_command,
            env: app.environment("plain").merge(environment),
            chdir: app.folder
          )
        profile = Profiling::Recording.new(File.binread(File.join(recording, "nodes.1")), {})
        cpu = profile.nodes.sum { |node| node["self"].fetch("cpu_ns", 0) } / 1e9
        seconds << (cpu / usage.cpu)
        shares << (profile.overhead_ns / 1e9 / usage.cpu)
      end
      median = ->(values) { format("%.4f", Warmstart::Bench::Statistics.median(values)) }
      [
        ["the profile's CPU of getrusage's", nil, nil, median.call(seconds), nil, nil, nil, nil],
        ["the overhead it tells, of CPU", nil, nil, median.call(shares), nil, nil, nil, nil]
      ]
    end
  end
end
