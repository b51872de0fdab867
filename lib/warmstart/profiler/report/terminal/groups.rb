# frozen_string_literal: true

require_relative "display"

module Warmstart
  module Profiler
    class Report
      class Terminal
        # Three small tables of the groups. They are side by side if there is room.
        # @api private
        class GroupTables
          ROWS = 8
          SIDE_BY_SIDE = 120
          GAP = 4

          def initialize(profile, groups, width:, style:, sort:)
            @profile = profile
            @groups = groups
            @width = width
            @style = style
            @metric = sort == "self" ? "wall" : sort
          end

          def lines
            half = (@width - GAP) / 2
            wide = @width >= SIDE_BY_SIDE
            one = wide ? half : @width
            kinds = table("By kind", @groups.by_kind, one)
            gems = table("By gem", @groups.by_gem, one)
            folders = @groups.by_folder.empty? ? [] : table("By folder of the application", @groups.by_folder, one)
            return *kinds, "", *gems, *(folders.empty? ? [] : ["", *folders]) unless wide

            left = [*kinds, "", *folders]
            left.pop while left.last == ""
            beside(left, table("By gem", @groups.by_gem, one, left.size - 2), half)
          end

          private

          def table(title, groups, width, rows = ROWS)
            extra = extras(width)
            name = [width - 9 - 8 - (extra.size * 9), 40].min
            bar = width - name - 9 - 8 - (extra.size * 9) - 2
            shown = groups.size <= rows + 1 ? groups : groups.first(rows)
            largest = [groups.first&.[](@metric) || 0, 1].max
            head =
              @style.paint(Display.left(title, name), :heading) +
                @style.paint(
                  [
                    HEADINGS.fetch(@metric == "wall" ? "self" : @metric),
                    "",
                    *extra.map { |metric| HEADINGS.fetch(metric) }
                  ].zip([9, 7] + [9] * extra.size).map { |text, size| Display.right(text, size) }.join.rstrip,
                  :dim
                )
            [head, *shown.map { |group| row(group, name, bar, extra, largest) }, *more(groups.drop(shown.size), name)]
          end

          # As many further columns as there is room for.
          def extras(width)
            ["gc", "objects", *(@profile.calls_counted? ? %w[calls failed] : [])].reject { |metric| metric == @metric }
              .first([(width - 52) / 9, 0].max)
          end

          def row(group, name, bar, extra, largest)
            value = group[@metric]
            share = @profile.total(@metric).positive? ? value.fdiv(@profile.total(@metric)) : 0.0
            numbers = value.zero? ? ["·", ""] : [Text.metric(@metric, value), Text.percent(share)]
            line =
              Display.left(Text.plain(group.name), name) + Display.right(numbers[0], 9) + Display.right(numbers[1], 7) +
                @style.paint(
                  extra
                    .map { |metric| Display.right(group[metric].zero? ? "·" : Text.metric(metric, group[metric]), 9) }
                    .join,
                  :dim
                )
            if bar < 4
              line
            else
              "#{line}  #{@style.paint(Display.bar(value.fdiv(largest), [bar, 30].min), @style.heat(share))}".rstrip
            end
          end

          def more(rest, name)
            return [] if rest.empty?

            [
              @style.paint(
                Display.left("#{rest.size} more", name) +
                  Display.right(Text.metric(@metric, rest.sum { |group| group[@metric] }), 9),
                :dim
              )
            ]
          end

          def beside(left, right, half)
            [left.size, right.size].max.times.map do |index|
              first = left[index] || ""
              shown = Display.width(first.gsub(/\e\[[\d;]*m/, ""))
              "#{first}#{" " * [half + GAP - shown, 0].max}#{right[index]}".rstrip
            end
          end
        end
      end
    end
  end
end
