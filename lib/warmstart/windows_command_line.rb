# frozen_string_literal: true

module Warmstart
  # A command line of Windows, which is one text, as the words that Ruby itself makes of it (w32_cmdvector in its win32.c): double
  # and single quotes, backslashes before a quote, "" in a quoted word. Names with wildcards are not replaced by files here, so
  # whoever asks has to compare with what Ruby knows (Warmstart.main_script, the one who asks).
  module WindowsCommandLine
    # Blanks; a quote with the backslashes before it; what means nothing here.
    PART = /(?<blanks>[ \t\n]+)|(?<backslashes>\\*)(?<quote>["'])|\\+|[^ \t\n\\"']+/

    module_function

    # @param line [String] UTF-8
    # @return [Array<String>]
    def words(line)
      words, word, inside, place = [], nil, nil, 0
      while (part = PART.match(line, place))
        place = part.end(0)
        if part[:blanks] && !inside
          words << word if word
          word = nil
        elsif part[:quote]
          text, now = quote(part[:backslashes], part[:quote], inside)
          word = "#{word}#{text}"
          twice = inside == '"' && now.nil? && line[place] == '"'
          word << '"' if twice
          place += 1 if twice
          inside = now
        else
          word = "#{word}#{part[0]}"
        end
      end
      word ? words << word : words
    end

    # @param inside [String, nil] the quote that has been opened
    # @return [Array(String, String | nil)] what stands for backslashes and quote, and the quote that is open behind them
    def quote(backslashes, mark, inside)
      return mark == inside ? [backslashes, nil] : [backslashes + mark, inside] if inside == "'"
      return [("\\" * (backslashes.size / 2)) + mark, inside] if backslashes.size.odd?
      return [backslashes + mark, inside] if inside && inside != mark

      ["\\" * (backslashes.size / 2), inside ? nil : mark]
    end
  end
end
