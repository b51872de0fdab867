# frozen_string_literal: true

require_relative "../statistics"
require_relative "../table"
require_relative "axis"
require_relative "svg"

module Warmstart
  module Bench
    module Plot
      # All runs of all variants: each run is a dot, over a box between the quartiles that contains the median. If the
      # boxes of two variants overlap, the measurement shows no difference between them.
      # @api private
      class Distributions
        ROW = 38
        HEAD = 30
        FOOT = 34
        LABEL = 172
        NUMBER = 146

        # If the smallest value is greater than this share of the greatest, the axis begins near it. Then differences
        # can be seen, but lengths not compared.
        NEAR = 0.25

        # @param title [String]
        # @param values [Hash{String => Array<Float>}] seconds of each run, by variant
        def initialize(title, values)
          @title = title
          @values = values.reject { |_, numbers| numbers.empty? }
          all = @values.values.flatten
          @axis = Axis.new(all.max, from: all.any? && all.min > all.max * NEAR ? all.min : 0)
        end

        def height = HEAD + (@values.size * ROW) + FOOT

        def description
          medians = @values.map { |name, numbers| "#{name} #{Units.seconds(Statistics.median(numbers))}" }
          "#{@title}, medians: #{medians.join(", ")}."
        end

        def to_svg(width)
          @width = width
          [
            SVG.text("#{@title}, seconds", 0, 14, "text title"),
            *grid,
            *@values.each_with_index.map { |(name, numbers), index| row(name, numbers, index) }
          ].join("\n")
        end

        # A line for each variant: its runs as dots, its quartiles as a box, its median.
        def to_text(width)
          label = @values.keys.map(&:length).max.to_i
          room = [width - label - 12, 20].max
          lines =
            @values.map do |name, numbers|
              median = Units.seconds(Statistics.median(numbers)).rjust(8)
              "#{name.ljust(label)}  #{strip(numbers, room)} #{median}".rstrip
            end
          ends = [@axis.label(@axis.origin), "#{@axis.label(@axis.limit)} s"]
          [
            "#{@title}: runs (o), middle half (=), median (#)",
            *lines,
            "#{" " * (label + 2)}#{ends[0]}#{ends[1].rjust(room - ends[0].length)}"
          ].join("\n")
        end

        private

        def x(value) = LABEL + ((@width - LABEL - NUMBER) * @axis.place(value))

        def grid
          bottom = HEAD + (@values.size * ROW)
          @axis.ticks.flat_map do |tick|
            [
              SVG.line(x(tick), HEAD, x(tick), bottom, tick == @axis.origin ? "axis" : "grid"),
              SVG.text(@axis.label(tick), x(tick), bottom + 17, "faint small middle")
            ]
          end << SVG.text("median \u00b1 quartiles", @width, bottom + 17, "faint small end")
        end

        def row(name, numbers, index)
          middle = HEAD + (index * ROW) + (ROW / 2)
          low, median, high = [0.25, 0.5, 0.75].map { |share| Statistics.quantile(numbers, share) }
          SVG.element(
            "g",
            [
              SVG.text(name, LABEL - 12, middle + 4, "text end"),
              SVG.line(x(numbers.min), middle, x(numbers.max), middle, "line"),
              SVG.element(
                "rect",
                x: x(low),
                y: middle - 11,
                width: [x(high) - x(low), 1].max,
                height: 22,
                rx: 3,
                class: "box"
              ),
              *numbers.each_with_index.map do |number, run|
                SVG.element("circle", cx: x(number), cy: middle + (((run * 7) % 5) - 2) * 3, r: 2.6, class: "dot")
              end,
              SVG.line(x(median), middle - 13, x(median), middle + 13, "line strong"),
              SVG.text(
                "#{Units.seconds(median)} \u00b1 #{format("%.1f %%", (high - low) * 50 / median)}",
                @width,
                middle + 4,
                "text end"
              )
            ].join,
            class: SVG.series(name, index)
          )
        end

        def strip(numbers, room)
          cells = " " * room
          at = ->(value) { (@axis.place(value) * (room - 1)).round }
          (at.call(Statistics.quantile(numbers, 0.25))..at.call(Statistics.quantile(numbers, 0.75))).each do |cell|
            cells[cell] = "="
          end
          numbers.each { |number| cells[at.call(number)] = "o" if cells[at.call(number)] == " " }
          cells[at.call(Statistics.median(numbers))] = "#"
          cells
        end
      end
    end
  end
end
