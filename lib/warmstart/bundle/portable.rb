# frozen_string_literal: true

require_relative "situation"
require_relative "record"

module Warmstart
  module Bundle
    # Makes the record for `warmstart build --portable`, `--reproducible` and `--seal`. It is valid elsewhere, where
    # times, inodes and the user differ: it describes files by their content, and everything in it is in a fixed order.
    # It is made from the record of a command that the build has run.
    # @api private
    module Portable
      class << self
        # @param bytes [String] a record, as Native.read_record gives it
        # @return [String, nil] the new record's bytes; nil: it is a record of another kind, or no longer valid
        def convert(bytes)
          content = Marshal.load(bytes)
          unless content.is_a?(Hash) && content[:format] == Record::FORMAT && content[:sums] && unchanged?(content)
            return
          end

          Marshal.dump(plain(converted(content)))
        rescue TypeError, ArgumentError
          nil
        end

        private

        # (Only files are compared. The variables need no check: they are those of the command.)
        def unchanged?(content)
          files = Places.new(content.fetch(:folders)).unmark(content.fetch(:files))
          Native.first_changed(files, content.fetch(:metadata)).nil?
        end

        def converted(content)
          files = content.fetch(:files).zip(content.fetch(:sums)).sort
          presences = content.fetch(:presences).zip(content.fetch(:types).chars).sort
          content.except(:metadata).merge(
            files: files.map(&:first),
            sums: files.map(&:last),
            presences: presences.map(&:first),
            types: presences.map(&:last).join,
            answers: content.fetch(:answers).sort_by { |method, path, _| [method.to_s, path] },
            variables: content.fetch(:variables).sort.to_h
          )
        end

        # Copies a value so that it contains no object twice. Marshal writes an object once, so the bytes would show
        # which Strings are the same object.
        def plain(value)
          case value
          when Hash
            value.to_h { |key, element| [plain(key), plain(element)] }
          when Array
            value.map { |element| plain(element) }
          when String
            String.new(value, encoding: value.encoding)
          else
            value
          end
        end
      end
    end
  end
end
