# frozen_string_literal: true

module Benchmarks
  # The first boot of the applications, with caches removed before each run: shows what recording costs. Warmstart may
  # take at most 1.25 times as long as plain Ruby.
  class FirstBoot < Benchmark
    APPLICATIONS = %w[rails_app shop].freeze

    def run
      apps = APPLICATIONS.map { |name| Examples[name] }.select(&:set_up?)
      raise Unavailable, "examples/setup has not been run for Ruby #{RUBY_VERSION}" if apps.empty?

      grouped("first boot, production mode, no caches", apps.to_h { |app| [app.name, first_boots(app)] })
    end

    private

    def first_boots(app)
      measure(boots(app, prepare: -> { app.clear_caches }), runs: [@runs, 5].min, warmups: 0)
    end
  end
end
