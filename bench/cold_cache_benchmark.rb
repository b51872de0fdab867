# frozen_string_literal: true

module Benchmarks
  # The warm boot when the page cache is cold: as root, the kernel's caches are dropped before each run.
  class ColdCache < Benchmark
    DROP = "/proc/sys/vm/drop_caches"

    def run
      raise Unavailable, "only root may drop the page cache" unless Process.uid.zero? && File.writable?(DROP)

      app = application("rails_app")
      measure(boots(app), runs: 0, warmups: 2) # (with a warm page cache: only the image has to be there)
      result(
        "warm boot, cold page cache",
        measure(boots(app, prepare: method(:drop)), runs: [@runs, 5].min, warmups: 0)
      )
    end

    private

    def drop
      system("sync")
      File.write(DROP, "3")
    end
  end
end
