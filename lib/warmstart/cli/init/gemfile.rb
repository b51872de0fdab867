# frozen_string_literal: true

require_relative "boot_file"

module Warmstart
  module CLI
    class Init < Command
      # The text of the Gemfile, with and without Warmstart's gem.
      # @api private
      module Gemfile
        GEM = 'gem "warmstart", require: false'
        COMMENT = "# Starts the application from its boot image"

        OURS = /^[^#\n]*\bgem\b[\s(]*["']warmstart["']/
        BOOTSNAP = /^[ \t]*gem[\s(]*["']bootsnap["'][^\r\n]*/
        # The line as this command writes it. A line with a source or a version was written by the user, and stays.
        WRITTEN = /(?:^\r?\n)?^#{Regexp.escape(COMMENT)}\r?\n#{Regexp.escape(GEM)}[ \t]*/
        INSTEAD = /^([ \t]*)#{Regexp.escape(GEM)}#{Regexp.escape(BootFile::INSTEAD)}/

        module_function

        # @param replace_bootsnap [Boolean] false: bootsnap's line stays, because config/boot.rb does not load Warmstart
        #   instead
        # @return [String]
        def add(text, replace_bootsnap:)
          bootsnap = (text[BOOTSNAP] if replace_bootsnap)
          if bootsnap&.match?(/[,\\][ \t]*(?:#.*)?\z/)
            raise Error, "the Gemfile's line for bootsnap goes on after its end; put #{GEM} there by hand"
          end
          return bootsnap ? text.gsub(/#{BOOTSNAP.source}\n?/, "") : text if text.match?(OURS)
          return text.sub(BOOTSNAP) { |line| line[/\A[ \t]*/] + GEM + BootFile::INSTEAD } if bootsnap

          # (The empty line comes also where there is one at the end: --undo takes this one out again.)
          BootFile.append(text, *("" unless text.empty?), COMMENT, GEM)
        end

        # @return [String]
        def remove(text)
          BootFile.without(text, WRITTEN).sub(INSTEAD) { "#{$1}gem \"bootsnap\", require: false" }
        end
      end
    end
  end
end
