# frozen_string_literal: true

require_relative "../table"

module Warmstart
  module Bench
    module Plot
      # A linear axis with round steps. It begins at zero or at a round number below the smallest value.
      # @api private
      class Axis
        attr_reader :origin, :limit, :ticks

        # @param greatest [Numeric] the greatest value
        # @param from [Numeric] the smallest value; 0: the axis begins there, so that lengths can be compared
        # @param count [Integer] approximate number of ticks
        def initialize(greatest, from: 0, count: 6)
          greatest = from + 1 unless greatest && greatest > from
          @step = step((greatest - from).to_f / count)
          first = (from / @step).floor
          @ticks = (first..(greatest / @step).ceil).map { |index| (index * @step).round(12) }
          @origin = @ticks.first
          @limit = @ticks.last
        end

        # @return [Float] the position of a value, between 0 and 1
        def place(value) = ((value - @origin) / (@limit - @origin).to_f).clamp(0.0, 1.0)

        # 0.5 -> "0.5", 2000 -> "2,000"
        def label(value)
          return Units.count(value) if @step >= 1

          format("%.#{-Math.log10(@step).floor}f", value)
        end

        private

        # 1, 2 or 5 times a power of ten, at least `least`.
        def step(least)
          power = 10.0**Math.log10(least).floor
          [1, 2, 5, 10].map { |factor| factor * power }.find { |candidate| candidate >= least * 0.999 }
        end
      end
    end
  end
end
