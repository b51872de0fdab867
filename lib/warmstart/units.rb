# frozen_string_literal: true

module Warmstart
  # Numbers as text, for what the command line prints. nil is shown as "-".
  # @api private
  module Units
    module_function

    # 1.234 -> "1.23 s", 0.0123 -> "12.3 ms"
    def seconds(value)
      return "-" unless value

      value >= 1 ? format("%.2f s", value) : format("%.1f ms", value * 1000)
    end

    def bytes(value)
      return "-" unless value

      unit, size = [["GB", 1 << 30], ["MB", 1 << 20], ["KB", 1 << 10]].find { |_, limit| value >= limit } || ["B", 1]
      size == 1 ? "#{value} B" : format("%.1f %s", value.fdiv(size), unit)
    end

    def ratio(value) = value ? format("%.2f", value) : "-"

    # 12345 -> "12,345"
    def count(value) = value ? value.to_i.to_s.gsub(/(?<=\d)(?=(\d{3})+\z)/, ",") : "-"

    # Aligns names and texts, without a head.
    # @param rows [Array<Array(String, String)>]
    def left(rows)
      width = rows.map { |name, _| name.length }.max || 0
      rows.map { |name, text| text.to_s.empty? ? name : "#{name.ljust(width)}  #{text}" }.join("\n")
    end
  end
end
