# frozen_string_literal: true

require_relative "../command"

module Warmstart
  module CLI
    class Init < Command
      # The text of config/boot.rb, with and without Warmstart's line. Only code counts, not comments.
      # @api private
      module BootFile
        LOADER = "warmstart_boot"
        REQUIRE = 'require "warmstart/setup"'
        COMMENT = "# starts the application from its boot image"

        # The words that replace each other: bundler/setup, and the name of our file. Quotes, parentheses, conditions
        # and comments of the line stay, so that --undo can restore it.
        BUNDLER = %r{^([^#\n]*)\brequire([\s(]*["'])bundler/setup(["'])}
        OURS = /^([^#\n]*)\brequire_relative([\s(]*["'])#{LOADER}(["'])/
        # Warmstart's line after Bundler's. The user has written it, or this command has because there was no line of
        # Bundler's to replace.
        AFTER = %r{^[^#\n]*\brequire\b[\s(]*["']warmstart/setup["']}
        WRITTEN_AFTER = /^[ \t]*#{Regexp.escape(REQUIRE)}(?: #{Regexp.escape(COMMENT)})?[ \t]*\r?\n?/
        BOOTSNAP = %r{^[ \t]*require[\s(]*["']bootsnap/setup["']\)?[ \t]*(#.*)?$}
        USES_BOOTSNAP = /^[^#\n]*\b(?:require\b[\s(]*["']bootsnap|Bootsnap\.setup).*/

        module_function

        # @return [String]
        def add(text)
          text = without_bootsnap(text)
          own = text[USES_BOOTSNAP] and
            raise Error,
                  "config/boot.rb loads bootsnap in a way of its own (#{own.strip}); put #{REQUIRE} there by hand"
          return text if text.match?(OURS) || text.match?(AFTER)
          return text.gsub(BUNDLER) { "#{$1}require_relative#{$2}#{LOADER}#{$3}" } if text.match?(BUNDLER)

          "#{complete(text)}#{REQUIRE} #{COMMENT}#{newline(text)}"
        end

        # @return [String]
        def remove(text)
          text.gsub(OURS) { "#{$1}require#{$2}bundler/setup#{$3}" }.gsub(WRITTEN_AFTER, "")
        end

        # Removes bootsnap's line. If there is no line of Bundler's to replace, Warmstart's line takes its place.
        def without_bootsnap(text)
          placed = [OURS, AFTER, BUNDLER].any? { |line| text.match?(line) }
          text = text.sub(BOOTSNAP) { |line| line[/\A[ \t]*/] + REQUIRE } unless placed
          text.gsub(/#{BOOTSNAP.source}\n?/, "")
        end

        def newline(text) = text.include?("\r\n") ? "\r\n" : "\n"
        def complete(text) = text.empty? || text.end_with?("\n") ? text : text + newline(text)
      end
    end
  end
end
