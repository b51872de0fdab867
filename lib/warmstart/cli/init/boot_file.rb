# frozen_string_literal: true

require "ripper"

require_relative "../command"

module Warmstart
  module CLI
    class Init < Command
      # The text of config/boot.rb, with and without Warmstart's lines. Only code counts, not comments.
      #
      # Bundler, which knows where the bundle's gems are, is not loaded yet. `Kernel#gem` would activate the newest
      # version, and knows nothing of BUNDLE_PATH. So these lines take any version that lies where gems are installed;
      # that one hands over to the one of the bundle (warmstart/bundler).
      # @api private
      module BootFile
        FIND = <<~'RUBY'
          # Start from the boot image, Bundler's setup included: whichever Warmstart is found hands over to the bundle's.
          homes = [*ENV["BUNDLE_PATH"], "vendor/bundle", *(Gem.path if defined?(Gem))].map { |home| File.expand_path(home, "#{__dir__}/..") }
          warmstart = Dir[*homes.map { |home| "#{home}/{,ruby/*/}{,bundler/}gems/warmstart-*/lib/warmstart/bundler.rb" }].first
        RUBY
        FOUND = "warmstart || "
        NOT_FOUND = 'require "warmstart/setup" if !warmstart && $LOAD_PATH.resolve_feature_path("warmstart/setup")'
        AFTER_BUNDLER = 'require "warmstart/setup"'
        COMMENT = "# starts the application from its boot image"
        # What tells --undo to put bootsnap back, and the line that `rails new` writes.
        INSTEAD = " # in the place of bootsnap"
        RAILS = 'require "bootsnap/setup" # Speed up boot time by caching expensive operations.'

        # The line of Bundler's: quotes, parentheses, conditions and comments stay.
        BUNDLER = %r{^([ \t]*)(?!#)([^#\r\n]*\brequire[\s(]*)(["']bundler/setup["'][^\r\n]*)}
        # The same line with ours around it.
        OURS =
          /#{FIND.lines.map { |line| "[ \\t]*#{Regexp.escape(line.chomp)}\\r?\\n" }.join}
          ([^\r\n]*)#{Regexp.escape(FOUND)}([^\r\n]*)\r?\n[ \t]*#{Regexp.escape(NOT_FOUND)}(#{Regexp.escape(INSTEAD)})?/x
        # After these (and after a backslash) an expression goes on in the next line.
        UNFINISHED = %i[on_op on_comma on_lparen on_lbracket on_period on_sp].freeze
        # These, at the end of a line, have their condition in the next one.
        CONDITIONS = %w[if unless while until].freeze
        SEVERAL_LINES = "puts bundler/setup into an expression of several lines"
        # Warmstart's line after Bundler's. The user has written it, or this command has because there was no line of
        # Bundler's to put ours around.
        AFTER = %r{^[^#\n]*\brequire\b[\s(]*["']warmstart/setup["']}
        WRITTEN_AFTER = /^[ \t]*#{Regexp.escape(AFTER_BUNDLER)} #{Regexp.escape(COMMENT)}[ \t]*/
        WRITTEN_INSTEAD = /^([ \t]*)#{Regexp.escape(AFTER_BUNDLER)}#{Regexp.escape(INSTEAD)}[ \t]*(?=\r?$)/
        BOOTSNAP = %r{^[ \t]*require[\s(]*["']bootsnap/setup["']\)?[ \t]*(#.*)?$}
        USES_BOOTSNAP = /^[^#\n]*\b(?:require\b[\s(]*["']bootsnap|Bootsnap\.setup).*/

        module_function

        # @return [String]
        def add(text)
          bootsnap = text.match?(BOOTSNAP)
          return replace_late(text, bootsnap) unless ours?(text) || text.match?(BUNDLER)

          text = without_bootsnap(text)
          return text if ours?(text)

          added = text.gsub(BUNDLER) { around($~, newline(text), (INSTEAD if bootsnap)) }
          by_hand(SEVERAL_LINES) if Ripper.sexp(text) && !Ripper.sexp(added)
          added
        end

        # @return [String]
        def remove(text)
          without(text, WRITTEN_AFTER)
            .gsub(OURS) { "#{$1}#{$2}#{"#{newline(text)}#{$1[/\A[ \t]*/]}#{RAILS}" if $3}" }
            .gsub(WRITTEN_INSTEAD) { "#{$1}#{RAILS}" }
        end

        def ours?(text) = text.match?(OURS) || text.match?(AFTER)

        # Our lines, before and after Bundler's.
        def around(found, newline, instead)
          indent = found[1]
          if unfinished?(found.pre_match) || unfinished?("#{found.pre_match}#{found[0]}\n", CONDITIONS)
            by_hand(SEVERAL_LINES)
          end
          lines = FIND.lines.map(&:chomp) << "#{found[2]}#{FOUND}#{found[3]}" << "#{NOT_FOUND}#{instead}"
          lines.map { |line| indent + line }.join(newline)
        end

        # @return [Boolean] whether what follows this text belongs to an expression that has begun
        def unfinished?(text, words = [])
          blank = %i[on_sp on_comment on_ignored_nl]
          _, kind, last =
            Ripper.lex(text).reverse.find { |_, kind, word| !blank.include?(kind) || word.start_with?("\\") }
          kind == :on_kw ? [*words, "and", "or", "not"].include?(last) : UNFINISHED.include?(kind) && last != "|"
        end

        # For a file that does not require bundler/setup.
        def replace_late(text, bootsnap)
          line = "#{AFTER_BUNDLER}#{bootsnap ? INSTEAD : " #{COMMENT}"}"
          return without_bootsnap(text.sub(BOOTSNAP) { |old| old[/\A[ \t]*/] + line }) if bootsnap

          append(without_bootsnap(text), line)
        end

        def without_bootsnap(text)
          rest = without(text, BOOTSNAP)
          own = rest[USES_BOOTSNAP] and by_hand("loads bootsnap in a way of its own (#{own.strip})")
          rest
        end

        def by_hand(what)
          raise Error, "config/boot.rb #{what}; put #{AFTER_BUNDLER} there by hand"
        end

        def newline(text) = text.include?("\r\n") ? "\r\n" : "\n"

        # Puts lines at the end. Where that has no newline, it has none afterwards either, by which `without` finds out.
        # @return [String]
        def append(text, *lines)
          lines = lines.join(newline(text))
          bare = !text.empty? && !text.end_with?("\n")
          bare ? "#{text}#{newline(text)}#{lines}" : "#{text}#{lines}#{newline(text)}"
        end

        # @param lines [Regexp] without the newline at their end
        # @return [String]
        def without(text, lines) = text.gsub(/\r?\n#{lines}\z|#{lines}(?:\r?\n|\z)/, "")
      end
    end
  end
end
