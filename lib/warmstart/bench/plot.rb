# frozen_string_literal: true

require_relative "plot/distributions"
require_relative "plot/svg"

module Warmstart
  module Bench
    # Draws measurements, as SVG and as text for a terminal. A panel has `to_svg(width)`, which returns its elements,
    # and `to_text(width)`. A figure has several panels, one below the other.
    # @api private
    module Plot
      module_function

      # @param panels [Array<#to_svg, #to_text>]
      # @return [String] an SVG document
      def svg(panels, title:) = SVG.document(panels, title: title)

      # @return [String] text for a terminal
      def text(panels, width: 80) = panels.map { |panel| panel.to_text(width) }.join("\n\n")

      # A panel for the CPU time of all variants, and one for their wall time.
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
