# frozen_string_literal: true

module Warmstart
  module Profiler
    class Report
      class Advice
        # Ruby searches the load path by opening files: in each folder before the right one an open fails.
        # @api private
        class Search < Rule
          def advice
            failed = @profile.total("failed")
            cost = CallCost.of_call(@profile.nodes, "failed") or return
            return if failed.zero?

            without = "an index of the load path (Warmstart, bootsnap) knows without"
            reason = @profile.from_image? ? "C code and the program itself ask for them" : without
            advise(
              "#{Text.plural(failed, "look")} for files where they are not: " \
                "#{reason}",
              (failed * cost).round,
              "#{Text.plural(@profile.total("open_failed"), "failed open")} and " \
                "#{Text.plural(@profile.total("stat_failed"), "failed stat")}, " \
                "#{Text.small_time(cost)} each at most (wall time by failed calls of the node that did little else); " \
                "the load path has #{Text.plural((@profile.raw["load_path"] || []).size, "folder")}",
              items: searched
            )
          end

          private

          # The requires with the most failed opens: the entries of their files are far down the load path.
          def searched
            @profile
              .nodes
              .select { |node| node.self_of("open_failed").positive? }
              .max_by(ITEMS) { |node| [node.self_of("open_failed"), -node.id] }
              .map { |node| [@profile.label(node), nil, Text.plural(node.self_of("open_failed"), "failed open")] }
          end
        end
      end
    end
  end
end
