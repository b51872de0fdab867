# frozen_string_literal: true

require_relative "../lib/warmstart/bench/plot"
require_relative "../lib/warmstart/bench/table"

module Benchmarks
  # A number that depends on another, growing one: a line for each variant. Both axes begin at zero, so that a line
  # is flat only if it does not grow.
  class Lines
    Axis = Warmstart::Bench::Plot::Axis
    SVG = Warmstart::Bench::Plot::SVG
    Units = Warmstart::Units

    HEAD = 30
    FOOT = 44
    LEFT = 46
    RIGHT = 140
    PLOT = 260
    LABEL_GAP = 16
    MARKS = "*+x#@%"

    # @param title [String]
    # @param series [Hash{String => Array<Array(Numeric, Numeric)>}] the points of each variant
    # @param across [String] the name of the horizontal axis
    def initialize(title, series, across:)
      @title = title
      @series = series.reject { |_, points| points.empty? }
      @across = across
      points = @series.values.flatten(1)
      @x = Axis.new(points.map(&:first).max, count: 8)
      @y = Axis.new(points.map(&:last).max, count: 5)
    end

    def height = HEAD + PLOT + FOOT

    def description
      told = ->(points) { points.map { |x, y| "#{format("%.1f", y)} at #{Units.count(x)}" }.join(", ") }
      "#{@title}. #{@series.map { |name, points| "#{name}: #{told.call(points)}" }.join("; ")}."
    end

    def to_svg(width)
      @width = width
      [
        SVG.text(@title, 0, 14, "text title"),
        *grid,
        *@series.each_with_index.map { |(name, points), index| line(name, points, index) }
      ].join("\n")
    end

    # The same as text, with a mark for each variant.
    def to_text(width)
      columns = [width - 10, 20].max
      rows = 12
      cells = Array.new(rows) { " " * columns }
      @series.each_with_index do |(_, points), index|
        points.each do |x, y|
          cells[(rows - 1) - (@y.place(y) * (rows - 1)).round][(@x.place(x) * (columns - 1)).round] = MARKS[
            index % MARKS.size
          ]
        end
      end
      scale = cells.each_index.map { |row| [0, rows - 1].include?(row) ? @y.label(row.zero? ? @y.limit : 0) : "" }
      legend = @series.keys.each_with_index.map { |name, index| "#{MARKS[index % MARKS.size]} #{name}" }.join("  ")
      ends = ["0", "#{@x.label(@x.limit)} #{@across}"]
      [
        @title,
        *cells.zip(scale).map { |line, number| "#{number.rjust(7)} |#{line}".rstrip },
        "#{" " * 9}#{ends[0]}#{ends[1].rjust(columns - 1)}",
        legend
      ].join("\n")
    end

    private

    def x(value) = LEFT + ((@width - LEFT - RIGHT) * @x.place(value))
    def y(value) = HEAD + (PLOT * (1 - @y.place(value)))

    def grid
      right = x(@x.limit)
      rows =
        @y.ticks.flat_map do |tick|
          [
            SVG.line(LEFT, y(tick), right, y(tick), tick.zero? ? "axis" : "grid"),
            SVG.text(@y.label(tick), LEFT - 8, y(tick) + 4, "faint small end")
          ]
        end
      columns = @x.ticks.map { |tick| SVG.text(@x.label(tick), x(tick), HEAD + PLOT + 18, "faint small middle") }
      [*rows, *columns, SVG.text(@across, x(@x.limit / 2.0), HEAD + PLOT + 36, "faint small middle")]
    end

    def line(name, points, index)
      sorted = points.sort_by(&:first)
      path = sorted.map { |across, up| "#{x(across).round(1)},#{y(up).round(1)}" }.join(" ")
      SVG.element(
        "g",
        [
          SVG.element("polyline", points: path, class: "line path"),
          *sorted.map { |across, up| SVG.element("circle", cx: x(across), cy: y(up), r: 3.4, class: "dot") },
          SVG.text(name, x(sorted.last.first) + 10, labels.fetch(name) + 4, "named")
        ].join,
        class: SVG.series(name, index)
      )
    end

    # Names are at the ends of their lines, moved apart if the ends are near each other.
    def labels
      @labels ||=
        begin
          last = -LABEL_GAP
          @series
            .map { |name, points| [name, y(points.max_by(&:first).last)] }
            .sort_by(&:last)
            .to_h do |name, place|
              last = [place, last + LABEL_GAP].max
              [name, last]
            end
        end
    end
  end
end
