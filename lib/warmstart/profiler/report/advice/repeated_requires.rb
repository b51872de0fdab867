# frozen_string_literal: true

module Warmstart
  module Profiler
    class Report
      class Advice
        # Requires of files that are loaded already: cheap, but not free.
        # @api private
        class RepeatedRequires < Rule
          MANY = 1000

          # Nanoseconds: a greater bound only shows that there is no node that did little else.
          TELLING = 20_000

          def advice
            count = @profile.total("repeated")
            cost = CallCost.bound(@profile.nodes, "repeated")
            return if count < MANY || cost.nil? || cost > TELLING

            advise(
              "#{Text.plural(count, "require")} of what was loaded already: take them out of methods and loops, or " \
                "answer them from an index",
              (count * cost).round,
              "#{Text.small_time(cost)} each at most (wall time by repeated requires of the node that did little else)",
              items:
                @profile
                  .nodes
                  .select { |node| node.self_of("repeated").positive? }
                  .max_by(ITEMS) { |node| [node.self_of("repeated"), -node.id] }
                  .map { |node| [@profile.label(node), nil, Text.plural(node.self_of("repeated"), "repeated require")] }
            )
          end
        end
      end
    end
  end
end
