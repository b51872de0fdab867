# frozen_string_literal: true

require_relative "display"

module Warmstart
  module Profiler
    class Report
      class Terminal
        # The advice: each piece with its saving, how that was computed, and the places it concerns.
        # @api private
        class AdviceList
          ITEMS = 3

          def initialize(advice, width:, style:)
            @advice = advice
            @width = width
            @style = style
          end

          def lines
            return @style.paint("Advice", :heading), "none: no rule found a saving of a millisecond" if @advice.empty?

            [
              @style.paint("Advice", :heading) +
                @style.paint(Display.fit(" (savings overlap: do not add them up)", @width - 6), :dim),
              *@advice.flat_map { |advice| entry(advice) }
            ]
          end

          private

          def entry(advice)
            title, *rest = Display.wrap(Text.plain(advice.title), @width - 20)
            bound = advice.bound == "at most" ? "≤" : "≈"
            [
              "#{@style.paint(Display.right("#{bound} #{Text.time(advice.saving)}", 11), :yellow)}  #{title}",
              *rest.map { |line| "#{" " * 13}#{line}" },
              *Display
                .wrap(Text.plain(advice.how), @width - 16)
                .map { |line| "#{" " * 13}#{@style.paint(line, :dim)}" },
              *advice.items.first(ITEMS).map { |item| item_line(*item) },
              *more(advice)
            ]
          end

          def item_line(label, time, note)
            lead = Display.right(time ? Text.time(time) : "", 22)
            room = @width - 24
            label = Display.fit(Text.plain(label), note ? room * 6 / 10 : room)
            note = note ? "  #{Text.plain(note)}" : ""
            "#{lead}  #{label}#{@style.paint(Display.fit(note, room - Display.width(label)), :dim)}"
          end

          def more(advice)
            rest = advice.items.size - ITEMS
            rest.positive? ? ["#{" " * 24}#{@style.paint("and #{rest} more", :dim)}"] : []
          end
        end
      end
    end
  end
end
