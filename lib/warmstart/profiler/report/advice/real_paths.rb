# frozen_string_literal: true

module Warmstart
  module Profiler
    class Report
      class Advice
        # Ruby finds the realpath of each loaded file by readlink: one call for the file, and one for each folder above
        # it that it has not looked up yet.
        # @api private
        class RealPaths < Rule
          def advice
            links = @profile.total("readlink")
            cost = CallCost.of_call(@profile.nodes, "calls") or return

            advise(
              "#{Text.plural(links, "link")} read to find the real paths of " \
                "files#{": an image of compiled code (Warmstart) knows them" unless @profile.from_image?}",
              (links * cost).round,
              "#{Text.plural(links, "readlink")}, #{Text.small_time(cost)} each at most (wall time by calls of the " \
                "node that did little else); " \
                "real paths that the program itself asks for are among them",
              items:
                @profile
                  .nodes
                  .select { |node| node.self_of("readlink").positive? }
                  .max_by(ITEMS) { |node| [node.self_of("readlink"), -node.id] }
                  .map { |node| [@profile.label(node), nil, Text.plural(node.self_of("readlink"), "readlink")] }
            )
          end
        end
      end
    end
  end
end
