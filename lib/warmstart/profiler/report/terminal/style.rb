# frozen_string_literal: true

module Warmstart
  module Profiler
    class Report
      class Terminal
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
