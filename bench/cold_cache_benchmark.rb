# frozen_string_literal: true

module Benchmarks
  # The warm boot when the page cache is cold: as root, the kernel's caches are dropped before each run.
  class ColdCache < Benchmark
    DROP = "/proc/sys/vm/drop_caches"

    def run
      raise Unavailable, "only root may drop the page cache" unless Process.uid.zero? && File.writable?(DROP)

      app = application("rails_app")
      variants = Examples::VARIANTS.to_h do |name|
        [name, { command: app.boot_command, env: app.environment(name), chdir: app.folder, prepare: method(:drop) }]
      end
      result("warm boot, cold page cache", measure(variants, runs: [@runs, 5].min))
    end

    private

    def drop
      system("sync")
      File.write(DROP, "3")
    end
  end
end
