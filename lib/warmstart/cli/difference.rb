# frozen_string_literal: true

module Warmstart
  module CLI
    # Shows what has changed in a text, as `diff -u` does. There is only one region: from the first line that differs to
    # the last.
    # @api private
    module Difference
      CONTEXT = 3

      module_function

      # @return [String] empty if nothing differs
      def unified(path, before, after)
        old, new = [before, after].map(&:lines)
        start = common(old, new)
        tail = [common(old.reverse, new.reverse), [old.size, new.size].min - start].min
        return "" if old == new

        from = [start - CONTEXT, 0].max
        after_lines = old.last(tail).first(CONTEXT)
        removed = old[start...(old.size - tail)]
        added = new[start...(new.size - tail)]
        lines =
          old[from...start].map { |line| " #{line}" } + removed.map { |line| "-#{line}" } +
            added.map { |line| "+#{line}" } + after_lines.map { |line| " #{line}" }
        around = (start - from) + after_lines.size
        head =
          "--- #{path}\n+++ #{path}\n@@ -#{range(from, around + removed.size)} " \
            "+#{range(from, around + added.size)} @@\n"
        head + lines.map { |line| line.end_with?("\n") ? line : "#{line}\n\\ No newline at end of file\n" }.join
      end

      def common(one, other)
        one.zip(other).take_while { |a, b| a == b }.size.clamp(0, other.size)
      end

      def range(from, size) = "#{size.zero? ? from : from + 1},#{size}"
    end
  end
end
