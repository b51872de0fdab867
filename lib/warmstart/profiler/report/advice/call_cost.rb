# frozen_string_literal: true

module Warmstart
  module Profiler
    class Report
      class Advice
        # What a thing that was counted costs at most, from the profile itself: what a node did so many times took no
        # longer than the node (without its GC), so its time by the count is a bound, and the node that did little else
        # has the best one.
        module CallCost
          # So often, and so long, that a clock's step plays no part.
          ENOUGH = 20
          ENOUGH_TIME = 50_000

          # Nanoseconds: a bound for a call above this only says that no node did little else.
          TELLING = 10_000

          module_function

          # A bound for a call into the file system that tells something.
          # @return [Float, nil] nanoseconds
          def of_call(nodes, metric) = bound(nodes, metric)&.then { |cost| cost if cost <= TELLING }

          # @return [Float, nil] nanoseconds; nil where no node did it often enough
          def bound(nodes, metric)
            nodes
              .filter_map do |node|
                count = node.self_of(metric)
                time = node.self_of("wall") - node.self_of("gc")
                time.fdiv(count) if count >= ENOUGH && time >= ENOUGH_TIME
              end
              .min
          end
        end
      end
    end
  end
end
