# frozen_string_literal: true

module Warmstart
  module Profiler
    class Report
      class Advice
        # Time in the garbage collector.
        # @api private
        class Garbage < Rule
          def advice
            time = @profile.total("gc")
            advise(
              "garbage collection took #{Text.percent(@profile.share(time))} of the boot: fewer objects, or a larger " \
                "heap from the start " \
                "(RUBY_GC_HEAP_INIT_SLOTS and its like)",
              time,
              "GC time of all nodes, #{Text.plural(@profile.total("gc_runs"), "run")}, " \
                "#{Text.plural(@profile.total("objects"), "object")}; " \
                "what a larger heap leaves of it is not in this profile",
              items: makers
            )
          end

          private

          # Whoever makes the most objects: which of them a collection strikes is chance.
          def makers
            @profile
              .nodes
              .max_by(ITEMS) { |node| [node.self_of("objects"), -node.id] }
              .map { |node| [@profile.label(node), nil, Text.plural(node.self_of("objects"), "object")] }
          end
        end
      end
    end
  end
end
