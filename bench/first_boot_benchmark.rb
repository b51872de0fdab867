# frozen_string_literal: true

module Benchmarks
  # The first boot of the Rails application, caches removed before each: what recording costs.
  class FirstBoot < Benchmark
    def run
      app = application("rails_app")
      variants = Examples::VARIANTS.to_h do |name|
        [name, { command: app.boot_command, env: app.environment(name), chdir: app.folder, prepare: -> { app.clear_caches } }]
      end
      result("first boot, production mode, no caches", measure(variants, runs: [@runs, 5].min, warmups: 0))
    end
  end
end
