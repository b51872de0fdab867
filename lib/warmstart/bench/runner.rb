# frozen_string_literal: true

require_relative "statistics"
require_relative "measurement"

module Warmstart
  module Bench
    # Runs variants of a command in turns: each round starts every variant once, in random order. So a disturbance of
    # the machine (a frequency, another program) affects all of them alike.
    #
    #   results = Runner.new(variants: {
    #     "plain" => { command: %w[ruby a.rb] },
    #     "warmstart" => { command: %w[ruby a.rb], env: { "RUBYOPT" => "-r..." }, chdir: "/app", prepare: -> { ... } },
    #   }, runs: 11).run
    #   results["plain"].median(:cpu)   # seconds
    #
    # A variant: command (Array), env (as for Process.spawn: nil removes a variable), chdir, prepare (called before each
    # run and not measured), take (replaces Measurement.take, for a command that does not end by itself).
    # @api private
    class Runner
      class Failed < StandardError
      end

      # The runs of one variant. Fields of a measurement: wall, user, system, cpu (seconds), memory (bytes, peak of the
      # largest process).
      class Result
        attr_reader :name, :measurements

        def initialize(name)
          @name = name
          @measurements = []
        end

        def values(field) = @measurements.filter_map(&field)
        def median(field) = Statistics.median(values(field))
        def minimum(field) = values(field).min
        def ratio(field, base) = Statistics.ratio(values(field), base.values(field))

        # @return [Hash] for JSON
        def to_h
          fields =
            %i[wall cpu user system memory].to_h do |field|
              [field, Statistics.summary(values(field)).merge(runs: values(field))]
            end
          { name: name, **fields }
        end
      end

      # The seed of the order: the same seed gives the same order.
      attr_reader :seed

      # @param variants [Hash{String => Hash}]
      # @param runs [Integer] measured runs of each variant
      # @param warmups [Integer] runs of each variant that come first and are not measured
      # @param seed [Integer, nil]
      # @param progress [#call, nil] called with (runs done, runs in all) after each run
      # @param output [String] the file for the commands' stdout and stderr
      def initialize(variants:, runs: 11, warmups: 1, seed: nil, progress: nil, output: File::NULL)
        @variants = variants
        @runs = runs
        @warmups = warmups
        @seed = seed || Random.new_seed % (1 << 32)
        @progress = progress
        @output = output
      end

      # @return [Hash{String => Result}] in the order of the variants
      # @raise [Failed] a command does not exist, or its exit status is not 0
      def run
        results = @variants.keys.to_h { |name| [name, Result.new(name)] }
        random = Random.new(@seed)
        rounds = @warmups + @runs
        rounds.times do |round|
          order = @variants.keys.shuffle(random: random)
          order.each_with_index do |name, index|
            measurement = measure(name)
            results[name].measurements << measurement if round >= @warmups
            @progress&.call((round * order.size) + index + 1, rounds * order.size)
          end
        end
        results
      end

      # One run of one variant outside of the rounds.
      # @return [Measurement]
      def measure(name)
        variant = @variants.fetch(name)
        variant[:prepare]&.call
        take = variant[:take] || Measurement.method(:take)
        measurement =
          take.call(variant.fetch(:command), env: variant[:env] || {}, chdir: variant[:chdir], output: @output)
        return measurement if measurement.success?

        raise Failed, "#{name}: #{variant.fetch(:command).join(" ")} ended with #{measurement.status_text}"
      rescue SystemCallError => error
        raise Failed, "#{name}: cannot run #{variant.fetch(:command).first}: #{error.message}"
      end
    end
  end
end
