# frozen_string_literal: true

module Warmstart
  module Profiler
    class Report
      class Advice
        # Slow initializers of Rails.
        class Initializers < Rule
          SLOW = 50 * Text::MILLISECOND

          def advice
            found =
              outermost(
                @profile.nodes.select do |node|
                  node.kind == "initializer" && node.total_of("wall") >= SLOW && @profile.main?(node)
                end
              )
            return if found.empty?

            advise(
              "#{Text.plural(found.size, "initializer")} of 50 ms and more: do later what the boot does not need",
              found.sum { |node| node.total_of("wall") },
              "their totals, with what they load",
              items: worst(found) { |node| node.total_of("wall") }
            )
          end

          private

          def note(node) = node.path && @profile.short(node.path)
        end
      end
    end
  end
end
