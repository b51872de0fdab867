# frozen_string_literal: true

module Warmstart
  module Profiler
    class Report
      # Formats numbers and names: for the terminal, the page and advice.
      # @api private
      module Text
        MILLISECOND = 1_000_000

        module_function

        # 3_214_000_000 -> "3.21 s", 12_300_000 -> "12.3 ms", 4_000 -> "0.00 ms"
        def time(nanoseconds)
          ms = nanoseconds.fdiv(MILLISECOND)
          return format("%.2f s", ms / 1000) if ms.abs >= 1000

          format(ms.abs >= 100 ? "%.0f ms" : ms.abs >= 1 ? "%.1f ms" : "%.2f ms", ms)
        end

        # 1_234 ns -> "1.2 µs"
        def small_time(nanoseconds) =
          nanoseconds >= MILLISECOND ? time(nanoseconds) : format("%.1f µs", nanoseconds.fdiv(1000))

        # 52_310 -> "52,310"
        def count(number) = number.to_i.to_s.gsub(/(?<=\d)(?=(\d{3})+\z)/, ",")

        # 6_123_456 -> "6.12 M"
        def amount(number)
          return count(number) if number.abs < 100_000

          number.abs >= 1_000_000 ? format("%.2f M", number / 1e6) : format("%.0f k", number / 1e3)
        end

        def bytes(number)
          unit, size =
            [["GB", 1 << 30], ["MB", 1 << 20], ["KB", 1 << 10]].find { |_, limit| number.abs >= limit } || ["B", 1]
          size == 1 ? "#{number} B" : format("%.1f %s", number.fdiv(size), unit)
        end

        def percent(share)
          share.abs >= 0.1 || share.zero? ? format("%.0f %%", share * 100) : format("%.1f %%", share * 100)
        end

        def plural(number, noun, nouns = "#{noun}s") = "#{count(number)} #{number == 1 ? noun : nouns}"

        # Formats a value of a metric.
        def metric(name, value)
          case name
          when "wall", "cpu", "gc"
            time(value)
          when "bytes", "memory"
            bytes(value)
          when "objects"
            amount(value)
          else
            count(value)
          end
        end

        # Names come from the program. Characters that would move a terminal's cursor or change its colours are shown as
        # escapes.
        def plain(text)
          text = text.to_s
          return text if text.ascii_only? && !text.match?(/[[:cntrl:]]/)

          text = text.dup.force_encoding(Encoding::UTF_8).scrub("?")
          text.gsub(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/) { |char| format("\\u%04x", char.ord) }
        end

        # Converts all texts in an object to valid UTF-8, for JSON.
        def utf8(object)
          case object
          when String
            object.dup.force_encoding(Encoding::UTF_8).scrub("?")
          when Array
            object.map { |value| utf8(value) }
          when Hash
            object.transform_values { |value| utf8(value) }
          else
            object
          end
        end
      end
    end
  end
end
