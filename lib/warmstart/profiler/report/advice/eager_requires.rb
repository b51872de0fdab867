# frozen_string_literal: true

module Warmstart
  module Profiler
    class Report
      class Advice
        # A file that does little but require its neighbours: each of them could be an autoload.
        # @api private
        class EagerRequires < Rule
          NEIGHBOURS = 8

          def advice
            found = outermost(@profile.loads.select { |node| neighbours(node).size >= NEIGHBOURS })
            return if found.empty?

            advise(
              "#{Text.plural(found.size, "file")} that #{found.size == 1 ? "requires" : "require"} #{NEIGHBOURS} " \
                "neighbours and more, all at once: " \
                "autoloads would load what is used",
              found.sum { |node| time(node) },
              "totals of the files that such a file requires of its own gem or folder; what the boot uses of them " \
                "stays",
              items: worst(found) { |node| time(node) }
            )
          end

          private

          def neighbours(node)
            @neighbours ||= {}.compare_by_identity
            @neighbours[node] ||= node.children.select do |child|
              child.load? && child.result == "loaded" && child.from_path == node.path &&
                child.owner.name == node.owner.name && child.owner.kind == node.owner.kind
            end
          end

          def time(node) = @profile.main?(node) ? neighbours(node).sum { |child| child.total_of("wall") } : 0

          def note(node) =
            "#{Text.plural(neighbours(node).size, "neighbour")} in " \
              "#{node.owner.kind == :gem ? node.owner.name : @profile.short(File.dirname(node.path))}"
        end
      end
    end
  end
end
