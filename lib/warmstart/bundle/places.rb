# frozen_string_literal: true

module Warmstart
  module Bundle
    # The folders of a bundle that may lie at another path the next time: the application's (a clone, a release, a
    # container) and that of its gems. A record names what lies in them by a mark in the folder's place, so it holds
    # wherever they lie: what Bundler finds out there is the same, but for the folders' own names.
    #
    # A mark contains a NUL, which no path can. A String counts as a path in a folder only if it begins with it.
    # @api private
    class Places
      MARKS = %W[\0a \0r \0b].freeze

      # Characters with a meaning in a pattern, in a list of paths or in a URI are not among these, and no letters but
      # ASCII's: names in such a folder are Strings of another encoding than names elsewhere.
      ORDINARY = %r{\A(?:[A-Za-z]:)?/[\w/.+@=, -]+\z}
      private_constant :MARKS, :ORDINARY

      # @return [Array<String, nil>] the folders, in the order of the marks; nil: one that has no mark
      attr_reader :folders

      # @param folders [Array<String, nil>] that of the Gemfile, its realpath, and that of the gems. (One that lies in
      #   another, or holds it, has no mark.)
      def initialize(folders)
        @folders =
          folders.each_with_index.map do |folder, index|
            if folder&.b&.match?(ORDINARY) && folders.first(index).none? { |other| other && nested?(other, folder) }
              folder
            end
          end
        @marks = @folders.zip(MARKS).select(&:first)
      end

      # @param value [Object] of Strings, Arrays, Hashes and other plain objects
      # @return [Object] the same with a mark in the place of each folder
      def mark(value) = map(value) { |text| exchange(text, @marks) }

      # @return [Object] the same with each folder in the place of its mark
      def unmark(value) = map(value) { |text| exchange(text, @back ||= @marks.map { |folder, mark| [mark, folder] }) }

      # @param value [String, nil] of a variable: a path, or a list of paths
      # @return [String, nil] bytes: a name may be invalid in its encoding
      def mark_list(value) =
        value && value.b.split(File::PATH_SEPARATOR, -1).map { |part| mark(part) }.join(File::PATH_SEPARATOR)

      # @param text [String] what a file contains
      # @return [Array<Integer>] which of the folders it may name
      def named(text)
        @patterns ||= @folders.map { |folder| folder && /(?<!\w)#{Regexp.escape(folder)}(?!\w)/n }
        bytes = text.b
        @patterns.each_index.select { |index| @patterns[index]&.match?(bytes) }
      end

      # @return [Boolean] whether the path is a folder of these, or lies in one
      def include?(path) = @marks.any? { |folder, _| in?(folder, path) }

      private

      def in?(folder, path) = path == folder || path.start_with?("#{folder}/")

      def nested?(one, other) = in?(one, other) || in?(other, one)

      def map(value, &block)
        case value
        when Hash
          value.transform_values { |element| map(element, &block) }
        when Array
          value.map { |element| map(element, &block) }
        when String
          yield(value)
        else
          value
        end
      end

      # (Compared as bytes: a name may be invalid in its encoding.)
      def exchange(text, pairs)
        bytes = text.b
        from, to = pairs.find { |prefix, _| in?(prefix, bytes) }
        from && to ? (to + bytes.byteslice(from.bytesize..).to_s).force_encoding(text.encoding) : text
      end
    end
  end
end
