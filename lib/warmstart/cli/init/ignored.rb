# frozen_string_literal: true

require_relative "boot_file"

module Warmstart
  module CLI
    class Init < Command
      # The text of .gitignore and .dockerignore. The image belongs to one machine, so it is ignored. (Rails' own files
      # ignore tmp anyway.)
      # @api private
      module Ignored
        COMMENT = "# Warmstart's boot image"
        LINE = "/tmp/cache/warmstart/"
        KNOWN = %r{^(?:\*\*/|/)?tmp/?(?:\*{1,2}|cache/?(?:\*{1,2}|warmstart/?)?)?[ \t]*\r?$}
        WRITTEN = /(?:^\r?\n)?^#{Regexp.escape(COMMENT)}\r?\n#{Regexp.escape(LINE)}/

        module_function

        # @return [String]
        def add(text)
          return text if text.match?(KNOWN)

          BootFile.append(text, *("" unless text.empty?), COMMENT, LINE)
        end

        # @return [String]
        def remove(text) = BootFile.without(text, WRITTEN)
      end
    end
  end
end
