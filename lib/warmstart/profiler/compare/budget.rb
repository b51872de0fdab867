# frozen_string_literal: true

module Warmstart
  module Profiler
    class Compare
      # How much a boot may grow: `--fail-over 5%`, `--fail-over files=0,calls=2%,cpu=50ms`. Counts are the same in
      # every run on every machine, and times are not. So a continuous integration had better limit counts.
      # @api private
      class Budget
        # Raised for a limit that is not understood.
        class Invalid < StandardError
        end

        # A metric that grew more than allowed. limit: the limit as the user wrote it.
        Excess =
          Struct.new(:metric, :before, :after, :limit, keyword_init: true) do
            def to_s
              show = ->(value) { Report::Text.metric(metric, value) }
              share = before.positive? ? ", #{format("%+.1f %%", (after - before) * 100.0 / before)}" : ""
              "#{NAMES.fetch(metric)}: #{show.call(before)} before, #{show.call(after)} after " \
                "(+#{show.call(after - before)}#{share}); +#{limit} is allowed"
            end
          end

        # The metrics to which a limit without a name applies. Wall time is not one of them: it depends on what else the
        # machine does.
        DEFAULT = %w[cpu files objects calls].freeze
        LIMIT = /\A(\d+(?:\.\d+)?)(%|ms|s)?\z/

        # @param text [String] limits, separated by commas; of two limits for a metric the later one counts
        # @raise [Invalid] a limit is not understood
        def initialize(text)
          @limits = {}
          text.split(",").each { |part| add(part.strip) }
          raise Invalid, "no limit is given" if @limits.empty?
        end

        # @return [Array<String>] the metrics that have a limit by their name
        def named = @limits.select { |_, (_, by_name)| by_name }.keys

        # @param compare [Compare]
        # @return [Array<Excess>]
        # @raise [Invalid] a metric that has a limit by its name is not in both profiles
        def excesses(compare)
          missing = named - compare.metrics
          if missing.any?
            raise Invalid, "#{missing.map { |name| NAMES.fetch(name) }.join(" and ")} were not counted in both profiles"
          end

          @limits
            .select { |metric, _| compare.metrics.include?(metric) }
            .filter_map do |metric, (limit, _)|
              before, after = [compare.total.before, compare.total.after].map { |side| side.fetch(metric) }
              if after - before > allowed(limit, before)
                Excess.new(metric: metric, before: before, after: after, limit: limit)
              end
            end
        end

        private

        def add(part)
          name, limit = part.include?("=") ? part.split("=", 2).map(&:strip) : [nil, part]
          match = LIMIT.match(limit) or
            raise Invalid, "#{part.inspect} is no limit; give one such as 5%, files=0 or cpu=50ms"
          raise Invalid, "there is no #{name.inspect}; one of #{NAMES.keys.join(", ")}" if name && !NAMES.key?(name)
          if name.nil? && match[2] != "%"
            raise Invalid, "#{part.inspect}: a limit without a name is a share, such as 5%"
          end
          if name && %w[ms s].include?(match[2]) && !Report::Metrics::TIMES.include?(name)
            raise Invalid, "#{part.inspect}: #{NAMES.fetch(name)} are not a time"
          end

          (name ? [name] : DEFAULT).each { |metric| @limits[metric] = [unit(limit, metric), !name.nil?] }
        end

        # A number without a unit means milliseconds, for a metric that is a time.
        def unit(limit, metric) =
          limit.match?(/\A[\d.]+\z/) && Report::Metrics::TIMES.include?(metric) ? "#{limit}ms" : limit

        def allowed(limit, before)
          number, unit = LIMIT.match(limit).captures
          case unit
          when "%"
            before * number.to_f / 100
          when "ms"
            number.to_f * 1e6
          when "s"
            number.to_f * 1e9
          else
            number.to_f
          end
        end
      end
    end
  end
end
