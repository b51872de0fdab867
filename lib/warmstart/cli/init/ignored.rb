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
        WRITTEN = /(?:^\r?\n)?^#{Regexp.escape(COMMENT)}\r?\n#{Regexp.escape(LINE)}\r?(?:\n|\z)/

        module_function

        # @return [String]
        def add(text)
          return text if text.match?(KNOWN)

          newline = BootFile.newline(text)
          "#{BootFile.complete(text)}#{newline unless text.empty?}#{COMMENT}#{newline}#{LINE}#{newline}"
        end

        # @return [String]
        def remove(text) = text.sub(WRITTEN, "")
      end
    end
  end
end
