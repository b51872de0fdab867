# frozen_string_literal: true

module Warmstart
  module Profiler
    class Report
      class Advice
        # Requires that found nothing: each searched the whole load path, and the program rescued the LoadError.
        # @api private
        class FailedRequires < Rule
          def advice
            found = outermost(@profile.nodes.select { |node| node.load? && node.failed? && @profile.main?(node) })
            return if found.empty?

            advise(
              "#{Text.plural(found.size, "require")} failed and #{found.size == 1 ? "was" : "were"} rescued: ask " \
                "first whether it is there, or not at all",
              found.sum { |node| node.total_of("wall") },
              "totals of requires that raised",
              bound: "about",
              items: worst(found) { |node| node.total_of("wall") }
            )
          end
        end
      end
    end
  end
end
