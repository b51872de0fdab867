# frozen_string_literal: true

module Warmstart
  module Bench
    # A table as text. The first column is aligned left, all others right. The caller formats the numbers.
    # @api private
    class Table
      class << self
        # 1.234 -> "1.23 s", 0.0123 -> "12.3 ms"; nil -> "-". The other methods show nil in the same way.
        def seconds(value)
          return "-" unless value

          value >= 1 ? format("%.2f s", value) : format("%.1f ms", value * 1000)
        end

        def bytes(value)
          return "-" unless value

          unit, size =
            [["GB", 1 << 30], ["MB", 1 << 20], ["KB", 1 << 10]].find { |_, limit| value >= limit } || ["B", 1]
          size == 1 ? "#{value} B" : format("%.1f %s", value.fdiv(size), unit)
        end

        # Aligns names and texts, without a head.
        # @param rows [Array<Array(String, String)>]
        def left(rows)
          width = rows.map { |name, _| name.length }.max || 0
          rows.map { |name, text| "#{name.ljust(width)}  #{text}".rstrip }.join("\n")
        end

        def ratio(value) = value ? format("%.2f", value) : "-"

        # 12345 -> "12,345"
        def count(value) = value ? value.to_i.to_s.gsub(/(?<=\d)(?=(\d{3})+\z)/, ",") : "-"
      end

      # @param head [Array<String>]
      # @param rows [Array<Array>] cells are converted by to_s
      def initialize(head, rows = [])
        @head = head
        @rows = rows
      end

      def <<(row)
        @rows << row
        self
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
