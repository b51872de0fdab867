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

    # Each run has no cache of the user's either: there the images of other applications are found, from which a first
    # boot takes what they have in common.
    def first_boots(app)
      Dir.mktmpdir("warmstart-first-boot") do |user|
        variants = boots(app, prepare: -> { [app.clear_caches, FileUtils.rm_rf(Dir["#{user}/*"])] })
        variants.each_value { |variant| variant[:env] = variant[:env].merge("XDG_CACHE_HOME" => user) }
        measure(variants, runs: [@runs, 5].min, warmups: 0)
      end
    end
  end
end
