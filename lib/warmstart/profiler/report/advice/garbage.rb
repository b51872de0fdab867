# frozen_string_literal: true

module Warmstart
  module Profiler
    class Report
      class Advice
        # Time in the garbage collector.
        class Garbage < Rule
          def advice
            time = @profile.total("gc")
            advise(
              "garbage collection took #{Text.percent(@profile.share(time))} of the boot: fewer objects, or a larger heap from the start " \
                "(RUBY_GC_HEAP_INIT_SLOTS and its like)",
              time,
              "GC time of all nodes, #{Text.plural(@profile.total("gc_runs"), "run")}, #{Text.plural(@profile.total("objects"), "object")}; " \
                "what a larger heap leaves of it is not in this profile",
              items: worst(@profile.nodes.select { |node| node.self_of("gc").positive? }) { |node| node.self_of("gc") }
            )
          end

          private

          def note(node)
            runs = node.self_of("gc_runs")
            [
              runs.zero? ? "part of a run" : Text.plural(runs, "run"),
              Text.plural(node.self_of("objects"), "object")
            ].join(", ")
          end
        end
      end
    end
  end
end
