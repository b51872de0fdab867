# frozen_string_literal: true

require_relative "display"
require_relative "selection"

module Warmstart
  module Profiler
    class Report
      class Terminal
        # The tree of requires. The numbers are on the left, so that they stay in columns however deep the tree is; the
        # names are on the right.
        # @api private
        class Tree
          COLUMN = 9
          SMALLEST_NAME = 34
          LONGEST_FROM = 44

          # Heading => [metric, :total or :self]. If there is little room, the last columns are left out first.
          COLUMNS = {
            "total" => ["wall", :total],
            "self" => ["wall", :self],
            "CPU" => ["cpu", :total],
            "GC" => ["gc", :total],
            "objects" => ["objects", :total],
            "calls" => ["calls", :total],
            "failed" => ["failed", :total]
          }.freeze
          MORE_COLUMNS = {
            "bytes" => ["allocated", ["bytes", :total]],
            "memory" => ["memory", ["memory", :total]],
            "files" => ["files", ["files", :total]]
          }.freeze
          HEADINGS = {
            "wall" => "total",
            "self" => "self",
            "cpu" => "CPU",
            "gc" => "GC",
            "objects" => "objects",
            "calls" => "calls",
            "failed" => "failed"
          }.freeze

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
            all = @profile.calls_counted? ? COLUMNS : COLUMNS.except("calls", "failed")
            first = MORE_COLUMNS[sort] || HEADINGS[sort]&.then { |heading| [heading, COLUMNS.fetch(heading)] }
            chosen = { "total" => COLUMNS["total"], first&.first => first&.last, **all }.compact
            chosen.first(((@width - SMALLEST_NAME) / COLUMN).clamp(2, chosen.size))
          end

          def head
            @style.paint(@columns.map { |heading, _| Display.right(heading, COLUMN) }.join, :bold)
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
            "#{@columns.map { |_, (metric, of)| number(line, metric, of) }.join} "
          end

          # The number for a chain of nodes: the total of the first, or the sum of all their self values.
          def number(line, metric, of)
            value = of == :total ? line.nodes.first.total_of(metric) : line.nodes.sum { |node| node.self_of(metric) }
            text = Display.right(value.zero? ? "·" : Text.metric(metric, value), COLUMN)
            if value.zero?
              @style.paint(text, :dim)
            else
              @style.paint(
                text,
                @style.heat(@profile.total(metric).positive? ? value.fdiv(@profile.total(metric)) : 0.0)
              )
            end
          end

          def name(line, lead)
            lead = "#{lead[0, (@name_width / 2) - 4]}… #{lead[-3..]}" if lead.length > @name_width / 2
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
            lead = "#{below}└─ "
            lead = "#{lead[0, (@name_width / 2) - 4]}… #{lead[-3..]}" if lead.length > @name_width / 2
            text = Display.fit("#{lead}#{line.hidden.size} more", @name_width)
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
