# frozen_string_literal: true

module Warmstart
  module Bench
    # Statistics of measured numbers. The median, because one disturbed run must not change the result; the minimum,
    # because it shows what the machine can do; the quartiles, because they show noise.
    # @api private
    module Statistics
      module_function

      # @param numbers [Array<Numeric>]
      # @return [Float, nil] nil for an empty list; so do the other methods
      def median(numbers) = quantile(numbers, 0.5)

      # @param share [Float] 0.0 for the smallest, 1.0 for the largest number; between two numbers it interpolates
      #   linearly
      def quantile(numbers, share)
        return if numbers.empty?

        sorted = numbers.sort
        position = share * (sorted.size - 1)
        low = sorted[position.floor]
        high = sorted[position.ceil]
        (low + ((high - low) * (position - position.floor))).to_f
      end

      # The median as a multiple of the base's median; nil if either is missing.
      def ratio(numbers, base)
        ours = median(numbers)
        theirs = median(base)
        ours / theirs if ours && theirs&.positive?
      end

      # spread: the distance between the quartiles, in which the middle half of the runs lies.
      # @return [Hash{Symbol => Float, nil}]
      def summary(numbers)
        spread = quantile(numbers, 0.75) - quantile(numbers, 0.25) if numbers.any?
        { median: median(numbers), minimum: numbers.min, maximum: numbers.max, spread: spread }
      end
    end
  end
end
