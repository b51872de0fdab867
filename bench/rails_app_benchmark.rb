# frozen_string_literal: true

module Benchmarks
  # The warm boot of the Rails application in production mode: `bin/rails runner 1`. bootsnap also without its YAML
  # cache: what code and the load path alone are worth there.
  class RailsApp < Benchmark
    def run
      result("warm boot, production mode", measure(boots_and_more(application("rails_app")), warmups: 2))
    end
  end
end
