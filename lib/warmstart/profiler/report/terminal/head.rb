# frozen_string_literal: true

require_relative "display"

module Warmstart
  module Profiler
    class Report
      class Terminal
        # The head of the report: the command, its totals, and the three costliest causes.
        # @api private
        class Head
          CAUSES = 3

          def initialize(report, width:, style:)
            @report = report
            @profile = report.profile
            @width = width
            @style = style
          end

          def lines = [*title, "", *totals, "", *causes]

          private

          def title
            [
              @style.paint(Display.fit(Text.plain(@profile.command), @width), :bold),
              *Display.wrap(Text.plain(@profile.facts.join(", ")), @width).map { |line| @style.paint(line, :dim) }
            ]
          end

          def totals
            Display.fill(
              [
                "#{Text.time(@profile.total("wall"))} wall",
                "#{Text.time(@profile.total("cpu"))} CPU",
                "#{Text.time(@profile.total("gc"))} GC (#{Text.plural(@profile.total("gc_runs"), "run")})",
                Text.plural(@profile.total("files"), "file"),
                "#{Text.amount(@profile.total("objects"))} objects",
                "#{Text.bytes(@profile.total("memory"))} more memory",
                calls,
                overhead
              ].compact,
              @width,
              " · "
            )
          end

          def calls
            return "file system calls were not counted" unless @profile.calls_counted?

            "#{Text.count(@profile.total("calls"))} file system calls, #{Text.count(@profile.total("failed"))} failed"
          end

          def overhead
            share = @profile.raw.dig("overhead", "share") or return
            "profiling is about #{Text.percent(share)} of it"
          end

          def causes
            list = @report.causes.first(CAUSES)
            return [] if list.empty?

            largest = list.first.time
            [
              @style.paint(
                "The #{%w[one two three][list.size - 1]} costliest #{list.size == 1 ? "cause" : "causes"} of this boot",
                :heading
              ),
              *list.each_with_index.flat_map { |cause, index| cause_lines(cause, index + 1, largest) }
            ]
          end

          def cause_lines(cause, number, largest)
            name = [@width - 24, 44].min
            bar = Display.bar(cause.time.fdiv(largest), [@width - name - 25, 40].min.clamp(0, 40))
            first =
              "#{number}. #{@style.paint(Display.left(Text.plain(cause.title), name), :bold)} " \
                "#{Display.right(Text.time(cause.time), 9)} " \
                "#{Display.right(Text.percent(cause.share), 6)}  #{@style.paint(bar, @style.heat(cause.share))}"
            [
              first.rstrip,
              *Display
                .wrap(Text.plain(cause.detail), @width - 3)
                .reject(&:empty?)
                .map { |line| "   #{@style.paint(line, :dim)}" }
            ]
          end
        end
      end
    end
  end
end
