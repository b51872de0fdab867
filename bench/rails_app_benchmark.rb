# frozen_string_literal: true

module Benchmarks
  # The warm boot of the Rails application in production mode: `bin/rails runner 1`. bootsnap also without its YAML cache, since
  # Warmstart caches no documents yet.
  class RailsApp < Benchmark
    VARIANTS = Examples::VARIANTS

    def run
      app = application("rails_app")
      variants = VARIANTS.to_h { |name| [name, { command: app.boot_command, env: app.environment(name), chdir: app.folder }] }
      result("warm boot, production mode", measure(variants, warmups: 2))
    end
  end
end
