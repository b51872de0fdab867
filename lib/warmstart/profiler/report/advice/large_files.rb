# frozen_string_literal: true

module Warmstart
  module Profiler
    class Report
      class Advice
        # Files of code that are large: tables, generated parsers, data written as Ruby.
        # @api private
        class LargeFiles < Rule
          READ = 200_000 # bytes of source, if calls were counted
          ALLOCATED = 8 << 20 # bytes of objects
          SLOW = 5 * Text::MILLISECOND

          def advice
            found = @profile.loads.select { |node| large?(node) && node.self_of("wall") >= SLOW }
            return if found.empty?

            advise(
              "#{Text.plural(found.size, "file")} of code #{found.size == 1 ? "is" : "are"} very large (generated, " \
                "or data written as Ruby): " \
                "load what is needed of it later, or keep it compiled",
              wall(found),
              "selves of files of #{Text.bytes(READ)} of source and more, or that allocated #{Text.bytes(ALLOCATED)} " \
                "and more by themselves",
              items: worst(found) { |node| node.self_of("wall") }
            )
          end

          private

          def large?(node)
            node.self_of("read_bytes") >= READ || node.self_of("bytes") >= ALLOCATED
          end

          def note(node)
            [
              node.self_of("read_bytes").positive? ? "#{Text.bytes(node.self_of("read_bytes"))} read" : nil,
              "#{Text.bytes(node.self_of("bytes"))} allocated"
            ].compact.join(", ")
          end
        end
      end
    end
  end
end
