# frozen_string_literal: true

module Benchmarks
  # What it costs to open the Rails application's image: CPU time of Native::Image.open in one process. This verifies
  # everything except the payloads.
  class OpenImage < Benchmark
    def run
      app = application("rails_app")
      2.times { Warmstart::Bench::Runner.new(variants: { "warmstart" => variant(app) }).measure("warmstart") }
      folder = app.cache_folders.map { |path| File.join(path, "warmstart") }.find { |path| File.directory?(path) } or
        raise Unavailable, "no image"
      manifest = Dir[File.join(folder, "*.manifest")].max_by { |path| File.mtime(path) }
      times = Array.new(200) { open_once(folder, File.basename(manifest, ".manifest")) }
      size = Dir[File.join(folder, "#{File.basename(manifest, ".manifest")}-*.segment")].sum { |path| File.size(path) }
      units = Warmstart::Units
      {
        title: "CPU of opening an image",
        head: %w[image first median],
        rows: [
          [units.bytes(size), units.seconds(times.first), units.seconds(Warmstart::Bench::Statistics.median(times))]
        ]
      }
    end

    private

    def variant(app) = { command: app.boot_command, env: app.environment("warmstart"), chdir: app.folder }

    def open_once(folder, key)
      before = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
      image = Warmstart::Native::Image.open(folder, key, nil, nil)
      time = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - before
      raise Unavailable, image.last if image.is_a?(Array)

      time
    end
  end
end
