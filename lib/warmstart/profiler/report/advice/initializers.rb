# frozen_string_literal: true

module Warmstart
  module Profiler
    class Report
      class Advice
        # Slow initializers of Rails. A garbage collection strikes whoever runs when it is due, so it does not count.
        # Nor does eager_load!, which loads the application itself: its files have nodes of their own.
        # @api private
        class Initializers < Rule
          SLOW = 50 * Text::MILLISECOND

          def advice
            found =
              outermost(
                @profile.nodes.select do |node|
                  node.kind == "initializer" && node.name != "eager_load!" && work(node) >= SLOW && @profile.main?(node)
                end
              )
            return if found.empty?

            advise(
              "#{Text.plural(found.size, "initializer")} of 50 ms and more: do later what the boot does not need",
              found.sum { |node| work(node) },
              "their totals, with what they load, without garbage collection",
              items: worst(found) { |node| work(node) }
            )
          end

          private

          def work(node) = node.total_of("wall") - node.total_of("gc")

          def note(node) = node.path && @profile.short(node.path)
        end
      end
    end
  end
end
