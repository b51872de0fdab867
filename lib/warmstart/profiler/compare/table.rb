# frozen_string_literal: true

module Warmstart
  module Profiler
    class Compare
      # The text of a comparison for a terminal: totals, gems, files. No line is wider than `width`.
      # @api private
      class Table
        Display = Report::Terminal::Display
        Text = Report::Text

        # Where the name is not as good for a table.
        TITLES = NAMES.merge("cpu" => "CPU", "gc" => "GC", "bytes" => "allocated", "failed" => "of them failed").freeze
        LISTS = { "Slower" => :slower, "Faster" => :faster, "New" => :new, "Gone" => :gone }.freeze
        TOP = 8

        # @param top [Integer] the maximum of rows of each list
        # @param min_ms [Numeric] changes of less time, in milliseconds, are left out of the lists
        def initialize(compare, width: 100, colors: false, top: TOP, min_ms: 1)
          @compare = compare
          @width = [width, Report::Terminal::NARROWEST].max
          @style = Report::Terminal::Style.new(colors)
          @top = top
          @min = (min_ms * Text::MILLISECOND).round
        end

        def to_s
          parts = [heads, totals, *lists("gem", @compare.gems), *lists("file", @compare.files)].reject(&:empty?)
          "#{parts.map { |lines| lines.join("\n") }.join("\n\n")}\n"
        end

        private

        def heads
          { "before" => @compare.before, "after" => @compare.after }.map do |side, report|
            program = report.profile.program
            text = [
              report.profile.command,
              "ruby #{program["ruby_version"]}",
              "accelerator #{program["accelerator"]}",
              program["started_at"]
            ].join(", ")
            "#{@style.paint(side.ljust(7), :bold)} #{Display.fit(Text.plain(text), @width - 8)}"
          end
        end

        # ---- totals ----

        # Widths of a column with a number, and of one with a share, which a narrow terminal does not have.
        def cell = @width < 50 ? 10 : 11
        def share_cell = @width < 50 ? 0 : 9
        def name_width = [@width - (3 * cell) - share_cell, 20].min

        def totals
          head =
            @style.paint(
              "#{" " * name_width}#{%w[before after change].map { |title| Display.right(title, cell) }.join}",
              :dim
            )
          [head, *@compare.metrics.map { |metric| total_line(metric) }]
        end

        def total_line(metric)
          total = @compare.total
          change = total.change(metric)
          numbers =
            [total.before, total.after].map { |side| Display.right(Text.metric(metric, side.fetch(metric)), cell) }.join
          share = change.zero? ? nil : total.share(metric)
          text =
            Display.right(signed(metric, change), cell) + Display.right(share ? signed_share(share) : "", share_cell)
          "#{Display.left(TITLES.fetch(metric), name_width)}#{numbers}#{paint_change(text, change)}".rstrip
        end

        # ---- gems and files ----

        def lists(noun, changes)
          LISTS.filter_map do |title, which|
            found = changes.select { |change| send(which, change) }
            found.empty? ? nil : list("#{title}, by #{noun}", found)
          end
        end

        def slower(change) = change.status == :both && change.change("wall") >= @min
        def faster(change) = change.status == :both && change.change("wall") <= -@min
        def new(change) = change.status == :new
        def gone(change) = change.status == :gone

        # The columns of a list: time, and as many counts as there is room for.
        def columns =
          @columns ||=
            (%w[wall files objects calls] & @compare.metrics)
              .first((@width - 30) / 11)
              .then { |list| list.empty? ? ["wall"] : list }

        def list(title, changes)
          room = @width - (columns.size * 11)
          head =
            @style.paint(Display.left("#{title} (#{Text.count(changes.size)})", room), :heading) +
              @style.paint(
                columns.map { |metric| Display.right(TITLES.fetch(metric).sub("file system ", ""), 11) }.join,
                :dim
              )
          rest = changes.drop(@top)
          [
            head,
            *changes.first(@top).map { |change| change_line(change, room) },
            *(rest.empty? ? [] : [rest_line(rest, room)])
          ]
        end

        def change_line(change, room)
          numbers =
            columns.map do |metric|
              value = change.change(metric)
              paint_change(Display.right(signed(metric, value), 11), value)
            end
          Display.left(Text.plain(change.name), room) + numbers.join
        end

        def rest_line(rest, room)
          numbers =
            columns.map { |metric| Display.right(signed(metric, rest.sum { |change| change.change(metric) }), 11) }.join
          @style.paint(Display.left("#{Text.count(rest.size)} more", room) + numbers, :dim)
        end

        # ---- numbers ----

        def signed(metric, value) = value.zero? ? "=" : "#{"+" if value.positive?}#{Text.metric(metric, value)}"
        def signed_share(share) = format("%+.1f %%", share * 100)

        def paint_change(text, change)
          return @style.paint(text, :dim) if change.zero?

          @style.paint(text, change.positive? ? :red : :green)
        end
      end
    end
  end
end
