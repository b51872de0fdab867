# frozen_string_literal: true

require_relative "plot/distributions"
require_relative "plot/lines"
require_relative "plot/svg"

module Warmstart
  module Bench
    # Pictures of what was measured: as SVG, and as text for a terminal. A panel answers `to_svg(drawing)` with its
    # elements and `to_text(width)`; a figure is some panels below each other.
    module Plot
      module_function

      # @param panels [Array<Distributions, Lines>]
      # @return [String] an SVG document
      def svg(panels, title:) = SVG.document(panels, title: title)

      # @return [String] for a terminal
      def text(panels, width: 80) = panels.map { |panel| panel.to_text(width) }.join("\n\n")

      # CPU and wall time of variants, a panel each.
      # @param results [Hash{String => Hash}] Runner::Result#to_h by variant
      def panels(results, title: nil)
        { cpu: "CPU time", wall: "wall time" }.map do |field, name|
          Distributions.new(
            [title, name].compact.join(", "),
            results.transform_values { |result| result.fetch(field).fetch(:runs) }
          )
        end
      end
    end
  end
end
