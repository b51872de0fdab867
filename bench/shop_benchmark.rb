# frozen_string_literal: true

module Benchmarks
  # The warm boot of the shop (Solidus with its engines: many gems, many files) in production mode.
  class Shop < Benchmark
    def run
      result_and_more(
        "warm boot of the shop, production mode",
        measure(boots_and_more(application("shop")), warmups: 2)
      )
    end
  end
end
