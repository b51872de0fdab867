# frozen_string_literal: true

module Warmstart
  module Profiler
    class Report
      class Advice
        # An upper bound for the cost of something that was counted, computed from the profile itself. A node that did
        # it so many times took at least that long (without its GC), so its time divided by the count is a bound. The
        # node that did little else gives the best bound.
        # @api private
        module CallCost
          # A node gives a bound only if its count and its time (ns) are at least these, so that the clock's resolution
          # does not matter.
          ENOUGH = 20
          ENOUGH_TIME = 50_000

          # Nanoseconds: a greater bound for a call only shows that there is no node that did little else.
          TELLING = 10_000

          module_function

          # A bound for the cost of a file system call, if it is small enough to mean something.
          # @return [Float, nil] nanoseconds
          def of_call(nodes, metric) = bound(nodes, metric)&.then { |cost| cost if cost <= TELLING }

          # @return [Float, nil] nanoseconds; nil if no node did it often enough
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
