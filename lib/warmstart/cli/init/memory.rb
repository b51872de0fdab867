# frozen_string_literal: true

require_relative "../difference"

module Warmstart
  module CLI
    class Init < Command
      # What was replaced (bootsnap's lines) cannot be told from what stands there now. So the differences are kept
      # behind the code of the file that `init` writes, as `patch -R -p0` would take them, and --undo takes them back.
      module Memory
        HEAD = "__END__\nWhat `warmstart init` has replaced in other files, for --undo:\n"

        # One file's difference. text: as shown; old, new: the lines that differ, with those around them.
        Entry =
          Struct.new(:path, :text) do
            # @return [String, nil] the file's text before; nil where what we have written is not to be found
            def take_back(text)
              [
                whole,
                whole.drop_while { |mark, _| mark == " " }.reverse.drop_while { |mark, _| mark == " " }.reverse
              ].each do |lines|
                new, old = %w[- +].map { |other| lines.reject { |mark, _| mark == other }.map(&:last).join }
                place = text.index(new) unless new.empty?
                return text[0...place] + old + text[(place + new.size)..] if place && !text.index(new, place + 1)
              end
              nil
            end

            # In one line.
            def replaced = whole.filter_map { |mark, line| line.strip if mark == "-" && !line.strip.empty? }.join("; ")

            private

            # @return [Array<Array(String, String)>] mark and line
            def whole
              @whole ||=
                text
                  .lines
                  .drop(3)
                  .each_with_object([]) do |line, lines|
                    line.start_with?("\\") ? lines.last[1] = lines.last[1].chomp : lines << [line[0], line[1..]]
                  end
            end
          end

        module_function

        # @param loader [String] the text of the file
        # @return [Array<Entry>] the last first
        def entries(loader)
          _, text = loader.split(HEAD, 2)
          text.to_s.split(/^(?=--- .*\n\+\+\+ )/).map { |part| Entry.new(part[/\A--- (.*)\n/, 1], part) }.reverse
        end

        # @param differences [Array<String>]
        # @return [String] what stands behind the file's code
        def tail(loader, differences)
          kept = entries(loader).reverse.map(&:text)
          kept |= differences
          kept.empty? ? "" : HEAD + kept.join
        end
      end
    end
  end
end
