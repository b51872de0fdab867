# frozen_string_literal: true

require_relative "../units"

module Warmstart
  module Bench
    # A table as text. The first column is aligned left, all others right. The caller formats the numbers.
    # @api private
    class Table
      # @param head [Array<String>]
      # @param rows [Array<Array>] cells are converted by to_s
      def initialize(head, rows)
        @head = head
        @rows = rows
      end

      def to_s
        lines.map { |row| padded(row).join("  ").rstrip }.join("\n")
      end

      def markdown
        rule = @head.each_index.map { |index| index.zero? ? "---" : "---:" }
        [@head, rule, *@rows].map { |row| "| #{row.join(" | ")} |" }.join("\n")
      end

      private

      def lines = [@head, *@rows]

      def padded(row)
        row.each_with_index.map do |cell, index|
          index.zero? ? cell.to_s.ljust(widths[0]) : cell.to_s.rjust(widths[index])
        end
      end

      def widths
        @widths ||= lines.map { |row| row.map { |cell| cell.to_s.length } }.transpose.map(&:max)
      end
    end
  end
end
