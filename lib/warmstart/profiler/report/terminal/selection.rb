# frozen_string_literal: true

module Warmstart
  module Profiler
    class Report
      class Terminal
        # Selects the nodes that a tree shows: the `top` greatest by a metric, and all above them. If one child has
        # nearly all of a node's time, both share a line.
        # @api private
        class Selection
          # A line of the tree: the chain of nodes that share it, the lines below, and the children that are not shown.
          Line = Struct.new(:nodes, :lines, :hidden, keyword_init: true)

          # The share that counts as nearly all.
          NEARLY = 0.9

          # @param metric [String] a name in Metrics, or "self"
          # @param min [Integer] nanoseconds of wall time in total
          # @param pattern [Regexp, nil] matched with names and paths
          def initialize(profile, metric:, top:, min: 0, pattern: nil)
            @profile = profile
            @metric = metric
            @picked = pick(top, min, pattern)
            @shown = @picked.to_h { |node| [node.id, true] }
            @picked.each { |node| node.ancestors.each { |above| @shown[above.id] = true } }
          end

          def value(node)
            @metric == "self" ? node.self_of("wall") : node.total_of(@metric)
          end

          # @return [Array<Line>] a line for each thread that has a selected node
          def lines = @profile.roots.select { |root| @shown[root.id] }.map { |root| line(root) }

          def picked_count = @picked.size

          private

          def pick(top, min, pattern)
            nodes = @profile.nodes
            nodes = nodes.select { |node| node.total_of("wall") >= min } if min.positive?
            nodes =
              nodes.select { |node| pattern.match?(node.name) || (node.path && pattern.match?(node.path)) } if pattern
            nodes.max_by(top) { |node| [value(node), -node.id] }
          end

          def line(node)
            chain = [node]
            while (only = only_child(chain.last))
              chain << only
            end
            shown, hidden = chain.last.children.partition { |child| @shown[child.id] }
            Line.new(
              nodes: chain,
              hidden: hidden,
              lines: shown.sort_by { |child| [-value(child), child.id] }.map { |child| line(child) }
            )
          end

          def only_child(node)
            return if node.kind == "thread"

            shown = node.children.select { |child| @shown[child.id] }
            shown.first if shown.size == 1 && shown.first.total_of("wall") >= node.total_of("wall") * NEARLY
          end
        end
      end
    end
  end
end
