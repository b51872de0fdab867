# frozen_string_literal: true

module Benchmarks
  # The warm boot of the Rails application in production mode: `bin/rails runner 1`. bootsnap runs also without its YAML
  # cache, which shows the worth of its caches of code and load path alone.
  class RailsApp < Benchmark
    def run
      result_and_more("warm boot, production mode", measure(boots_and_more(application("rails_app")), warmups: 2))
    end
  end
end
