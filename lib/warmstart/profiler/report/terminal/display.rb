# frozen_string_literal: true

module Warmstart
  module Profiler
    class Report
      class Terminal
        # Computes the columns that a text takes on a terminal, and makes texts fit. A wide character (CJK, most emoji)
        # takes two columns, a combining one none.
        # @api private
        module Display
          WIDE = [
            0x1100..0x115f,
            0x2e80..0x303e,
            0x3041..0x33ff,
            0x3400..0x4dbf,
            0x4e00..0x9fff,
            0xa000..0xa4cf,
            0xa960..0xa97f,
            0xac00..0xd7a3,
            0xf900..0xfaff,
            0xfe30..0xfe6f,
            0xff00..0xff60,
            0xffe0..0xffe6,
            0x1f300..0x1f64f,
            0x1f680..0x1f6ff,
            0x1f900..0x1f9ff,
            0x20000..0x3fffd
          ].freeze
          NONE = /\A(?:\p{M}|[\u200b-\u200f])\z/
          ELLIPSIS = "…"

          module_function

          def width(text)
            return text.length if text.ascii_only?

            text.each_char.sum { |char| char_width(char) }
          end

          def char_width(char)
            code = char.ord
            return 1 if code < 0x300
            return 0 if char.match?(NONE)

            WIDE.any? { |range| range.cover?(code) } ? 2 : 1
          end

          # Shortens a text that is wider than `columns`. It leaves out the middle, because both ends of a path tell
          # more.
          def fit(text, columns)
            return text if width(text) <= columns
            return "" if columns < 1

            head = take(text.each_char, (columns - 1) / 2)
            tail = take(text.reverse.each_char, columns - 1 - width(head)).reverse
            "#{head}#{ELLIPSIS}#{tail}"
          end

          def left(text, columns) = fit(text, columns).then { |short| short + (" " * [columns - width(short), 0].max) }
          def right(text, columns) = fit(text, columns).then { |short| (" " * [columns - width(short), 0].max) + short }

          # @return [Array<String>] lines; a word that is wider than a line is cut in its middle
          def wrap(text, columns) = fill(text.split, columns, " ")

          # Puts as many parts into a line as fit.
          def fill(parts, columns, gap)
            parts.each_with_object([+""]) do |part, lines|
              part = fit(part, columns)
              lines << +"" if width(lines.last) + width(part) + gap.length > columns && !lines.last.empty?
              lines.last << (lines.last.empty? ? "" : gap) << part
            end
          end

          # A bar of at most `columns` columns, drawn in eighths of a column.
          def bar(share, columns)
            eighths = (share.clamp(0.0, 1.0) * columns * 8).round
            ("█" * (eighths / 8)) + ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
          end

          def take(chars, columns)
            used = 0
            chars.take_while { |char| (used += char_width(char)) <= columns }.join
          end
          private_class_method :take
        end

        # Adds colours, if they are wanted. A text has to be made to fit before it is coloured.
        # @api private
        class Style
          CODES = {
            bold: "1",
            dim: "2",
            red: "31",
            yellow: "33",
            green: "32",
            cyan: "36",
            heading: "1;36",
            hot: "1;31"
          }.freeze

          # Colours are used only on a terminal that can show them, and not if the user has set NO_COLOR
          # (https://no-color.org).
          def self.wanted?(output, environment = ENV)
            output.tty? && environment["NO_COLOR"].to_s.empty? && environment["TERM"] != "dumb"
          end

          def initialize(on)
            @on = on
          end

          def paint(text, *names)
            return text if !@on || text.empty? || names.compact.empty?

            "\e[#{names.compact.map { |name| CODES.fetch(name) }.join(";")}m#{text}\e[0m"
          end

          # The style for a share of the whole.
          def heat(share)
            if share >= 0.2
              :hot
            elsif share >= 0.05
              :yellow
            elsif share < 0.01
              :dim
            end
          end
        end
      end
    end
  end
end
