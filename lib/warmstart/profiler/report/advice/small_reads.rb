# frozen_string_literal: true

module Warmstart
  module Profiler
    class Report
      class Advice
        # Files that are read in many small pieces: each piece is a system call.
        # @api private
        class SmallReads < Rule
          MANY = 1000

          def advice
            found = @profile.nodes.select { |node| pieces(node) >= MANY }
            return if found.empty?

            cost = CallCost.of_call(@profile.nodes, "calls")
            time = ->(node) { [cost ? (pieces(node) * cost).round : node.self_of("wall"), node.self_of("wall")].min }
            advise(
              "#{Text.plural(found.size, "place")} in which files are read in pieces of 16 bytes or less: read them " \
                "at once",
              found.sum(&time),
              (
                if cost
                  "reads of 16 bytes or less, #{Text.small_time(cost)} each at most (wall time by calls of the node " \
                    "that did little else)"
                else
                  "selves of what read so"
                end
              ),
              items: worst(found, &time)
            )
          end

          private

          def pieces(node) = node.self_of("reads_to_16")

          def note(node) =
            "#{Text.plural(pieces(node), "read")} of 16 bytes or less, #{Text.bytes(node.self_of("read_bytes"))} in all"
        end
      end
    end
  end
end
