# frozen_string_literal: true

require_relative "display"

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

        # The tree of requires. The numbers are on the left, so that they stay in columns however deep the tree is; the
        # names are on the right.
        # @api private
        class Tree
          COLUMN = 9
          SMALLEST_NAME = 34
          LONGEST_FROM = 44

          # If there is little room, the last columns are left out first.
          COLUMNS = %w[wall self cpu gc objects calls failed].freeze

          def initialize(profile, selection, width:, style:, sort:)
            @profile = profile
            @selection = selection
            @width = width
            @style = style
            @columns = columns(sort)
            @name_width = width - (@columns.size * COLUMN) - 1
          end

          # @return [Array<String>]
          def lines
            roots = @selection.lines
            return [@style.paint("no node is like that", :dim)] if roots.empty?

            [head, *roots.flat_map { |line| rendered(line, "", "") }]
          end

          private

          def columns(sort)
            names = ["wall", sort, *COLUMNS].uniq
            names -= %w[calls failed] - [sort] unless @profile.calls_counted?
            names.first(((@width - SMALLEST_NAME) / COLUMN).clamp(2, names.size))
          end

          def head
            @style.paint(@columns.map { |name| Display.right(HEADINGS.fetch(name), COLUMN) }.join, :bold)
          end

          def rendered(line, lead, below)
            own = numbers(line) + name(line, lead)
            children =
              line.lines.each_with_index.flat_map do |child, index|
                last = index == line.lines.size - 1 && line.hidden.empty?
                rendered(child, "#{below}#{last ? "└─ " : "├─ "}", "#{below}#{last ? "   " : "│  "}")
              end
            [own, *children, *rest(line, below)]
          end

          def numbers(line)
            "#{@columns.map { |name| number(line, name) }.join} "
          end

          # The number for a chain of nodes: the total of the first, or the sum of all their self values.
          def number(line, name)
            metric = name == "self" ? "wall" : name
            value = name == "self" ? line.nodes.sum { |node| node.self_of("wall") } : line.nodes.first.total_of(metric)
            style = @style.heat(@profile.total(metric).positive? ? value.fdiv(@profile.total(metric)) : 0.0)
            @style.paint(Display.right(value.zero? ? "·" : Text.metric(metric, value), COLUMN), style)
          end

          def name(line, lead)
            lead = shortened(lead)
            room = @name_width - Display.width(lead)
            failed = line.nodes.last.failed? ? " failed" : ""
            label =
              Display.fit(line.nodes.map { |node| Text.plain(@profile.label(node)) }.join(" › "), room - failed.length)
            text =
              @style.paint(lead, :dim) + @style.paint(label, label_style(line.nodes.last)) + @style.paint(failed, :red)
            room -= Display.width(label) + failed.length
            below = line.lines.empty? && line.hidden.any? ? " +#{line.hidden.size}" : ""
            below = "" if below.length > room
            text + @style.paint(below, :dim) + from(line, room - below.length)
          end

          # The lines that lead to a node take no more than half of the room for names.
          def shortened(lead)
            lead.length > @name_width / 2 ? "#{lead[0, (@name_width / 2) - 4]}… #{lead[-3..]}" : lead
          end

          # The place that asked for the node, if there is room.
          def from(line, room)
            asked = line.nodes.first.from or return ""
            return "" if @width < 110 || room < 24

            @style.paint(Display.fit("  ← #{Text.plain(@profile.short(asked))}", [room, LONGEST_FROM].min), :dim)
          end

          def label_style(node)
            case node.kind
            when "yaml", "json"
              :green
            when "bundler", "initializer"
              :cyan
            end
          end

          def rest(line, below)
            return [] if line.hidden.empty? || line.lines.empty?

            time = line.hidden.sum { |node| node.total_of("wall") }
            text = Display.fit("#{shortened("#{below}└─ ")}#{line.hidden.size} more", @name_width)
            [
              @style.paint(
                "#{Display.right(Text.time(time), COLUMN)}#{" " * ((@columns.size - 1) * COLUMN)} #{text}",
                :dim
              )
            ]
          end
        end
      end
    end
  end
end
