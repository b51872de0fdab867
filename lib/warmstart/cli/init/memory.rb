# frozen_string_literal: true

require_relative "../difference"

module Warmstart
  module CLI
    class Init < Command
      # The new texts do not show what was replaced (bootsnap's lines). So the differences are kept after the code of
      # the file that `init` writes, in a form that `patch -R -p0` would accept, and --undo reverses them.
      # @api private
      module Memory
        HEAD = "__END__\nWhat `warmstart init` has replaced in other files, for --undo:\n"

        # The difference of one file.
        Entry =
          Struct.new(:path, :text) do
            # @return [String, nil] the file's text before the change; nil if the changed lines cannot be found in it
            def take_back(text) = regions.inject(text) { |rest, lines| rest && without(rest, lines) }

            # @return [String] the lines that were replaced, in one line
            def replaced =
              regions.flatten(1).filter_map { |mark, line| line.strip if mark == "-" && !line.strip.empty? }.join("; ")

            private

            # @return [Array<Array<Array(String, String)>>] of each region the lines: mark ("+", "-" or " ") and text
            def regions
              @regions ||=
                text
                  .split(/^@@ .*\n/)
                  .drop(1)
                  .map do |region|
                    region
                      .lines
                      .each_with_object([]) do |line, lines|
                        line.start_with?("\\") ? lines.last[1] = lines.last[1].chomp : lines << [line[0], line[1..]]
                      end
                  end
            end

            # (The lines around it may have changed since.)
            def without(text, region)
              inner = region.drop_while { |mark, _| mark == " " }.reverse.drop_while { |mark, _| mark == " " }.reverse
              [region, inner].each do |lines|
                new, old = %w[- +].map { |other| lines.reject { |mark, _| mark == other }.map(&:last).join }
                place = text.index(new) unless new.empty?
                return text[0...place] + old + text[(place + new.size)..] if place && !text.index(new, place + 1)
              end
              nil
            end
          end

        module_function

        # @param loader [String] the text of the file
        # @return [Array<Entry>] the last one first
        def entries(loader)
          _, text = loader.split(HEAD, 2)
          text.to_s.split(/^(?=--- .*\n\+\+\+ )/).map { |part| Entry.new(part[/\A--- (.*)\n/, 1], part) }.reverse
        end

        # @param differences [Array<String>]
        # @return [String] what is written after the file's code
        def tail(loader, differences)
          kept = entries(loader).reverse.map(&:text)
          kept |= differences
          kept.empty? ? "" : HEAD + kept.join
        end
      end
    end
  end
end
