# frozen_string_literal: true

module Benchmarks
  # The warm boot with a cold page cache: the kernel's caches are dropped before each run, which needs root.
  class ColdCache < Benchmark
    DROP = "/proc/sys/vm/drop_caches"

    def run
      raise Unavailable, "only root may drop the page cache" unless Process.uid.zero? && File.writable?(DROP)

      app = application("rails_app")
      measure(boots(app), runs: 0, warmups: 2) # (these runs have a warm page cache: they only make the image)
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
