# frozen_string_literal: true

module Warmstart
  module CLI
    # Shows what has changed in a text, as `diff -u` does.
    # @api private
    module Difference
      CONTEXT = 3

      module_function

      # @return [String] empty if nothing differs
      def unified(path, before, after)
        lines = edits(before.lines, after.lines)
        regions = regions(lines)
        return "" if regions.empty?

        "--- #{path}\n+++ #{path}\n" + regions.map { |region| region(lines, region) }.join
      end

      # By the longest common subsequence.
      # @return [Array<Array(String, String)>] every line with its mark: " " in both texts, "-" in the old one, "+" in
      #   the new one
      def edits(old, new)
        longest = Array.new(old.size + 1) { Array.new(new.size + 1, 0) }
        old.each_index.reverse_each do |i|
          new.each_index.reverse_each do |j|
            longest[i][j] = old[i] == new[j] ? longest[i + 1][j + 1] + 1 : [longest[i + 1][j], longest[i][j + 1]].max
          end
        end
        lines = []
        i = j = 0
        while i < old.size || j < new.size
          if old[i] == new[j]
            lines << [" ", old[i]]
            i += 1
            j += 1
          elsif j == new.size || (i < old.size && longest[i + 1][j] >= longest[i][j + 1])
            lines << ["-", old[i]]
            i += 1
          else
            lines << ["+", new[j]]
            j += 1
          end
        end
        lines
      end

      # The changed lines with their context; what lies close together is one region.
      # @return [Array<Range>] of places in lines
      def regions(lines)
        lines
          .each_index
          .reject { |place| lines[place].first == " " }
          .each_with_object([]) do |place, regions|
            from = [place - CONTEXT, 0].max
            from = regions.pop.begin if regions.any? && from <= regions.last.end + 1
            regions << (from..[place + CONTEXT, lines.size - 1].min)
          end
      end

      def region(lines, region)
        ranges =
          %w[+ -].map do |other|
            first, own =
              [lines.first(region.begin), lines[region]].map { |part| part.count { |mark, _| mark != other } }
            "#{own.zero? ? first : first + 1},#{own}"
          end
        text =
          lines[region].map do |mark, line|
            line.end_with?("\n") ? mark + line : "#{mark}#{line}\n\\ No newline at end of file\n"
          end
        "@@ -#{ranges[0]} +#{ranges[1]} @@\n#{text.join}"
      end
    end
  end
end
