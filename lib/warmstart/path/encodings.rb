# frozen_string_literal: true

module Warmstart
  module Path
    # Whether a path begins with the user's own home: "~" or "~/a". ("~\\a" names a user on POSIX; but there is no user
    # of such a name, so it does no harm to take it for the home.)
    # @api private
    def self.home?(path) = path == "~" || path.start_with?("~/", "~\\")

    # What encodings have to do with expanding a path: makes the text that the rules in C get, and gives their answer
    # the encoding that the program expects.
    # @api private
    class PosixEncodings
      class << self
        # The encoding that two texts have in common. It is ASCII only if both are.
        def common(one, other)
          encoding = strictly_common(one, other)
          return encoding unless encoding == Encoding::US_ASCII

          [one, other].map(&:encoding).find { |candidate| candidate != Encoding::US_ASCII } || encoding
        end

        def strictly_common(one, other)
          Encoding.compatible?(one, other) or
            raise Encoding::CompatibilityError,
                  "incompatible character encodings: #{one.encoding} and #{other.encoding}"
        end
      end

      attr_reader :path, :base

      def initialize(path, base, tilde)
        @path = path
        @base = base
        @tilde = tilde
      end

      # The rules take the bytes as they are. The answer gets the encoding that its parts have in common.
      def restore(answer, directory)
        answer.force_encoding(home?(path) ? Encoding.find("filesystem") || path.encoding : encoding_of_parts(directory))
        PosixEncodings.strictly_common(path, answer)
        check_base(base, directory) if base && !path.start_with?("/") && !home?(path)
        answer
      end

      private

      def home?(part) = @tilde && part.start_with?("~")

      # (Ruby expands the base by itself, and there it raises if the bytes of the base do not fit the encoding of the
      # working directory or of the home, even if that is plain ASCII.)
      def check_base(base, directory)
        return if base.ascii_only?

        home?(base) ? Posix.expand(base, home: "/") : Posix.absolute(base, directory: directory)
      end

      def encoding_of_parts(directory)
        system = Encoding.find("filesystem") or return path.encoding
        return path.encoding if path.start_with?("/")

        first = (base || path).start_with?("/") ? nil : (directory || Dir.pwd).dup.force_encoding(system)
        encoding =
          home?(base || path) ? system : first ? PosixEncodings.common(base || path, first) : (base || path).encoding
        if base
          PosixEncodings.common(first.to_s.dup.force_encoding(encoding) + base.dup.force_encoding(encoding), path)
        else
          encoding
        end
      end
    end

    # The rules of Windows need UTF-8. This converts as Ruby does there: ASCII and binary Strings are taken for
    # Windows-1252, and a character that the target encoding lacks becomes "?", or U+FFFD in UTF-8.
    # @api private
    class WindowsEncodings
      LATIN = Encoding::Windows_1252
      # Windows takes the five bytes that Windows-1252 leaves undefined for control characters.
      FROM_LATIN = ->(byte) { [byte.ord].pack("U") }
      TO_LATIN = ->(character) { (character.ord < 256 ? [character.ord].pack("C") : "?").force_encoding(LATIN) }

      def self.bytes?(encoding) = encoding == Encoding::US_ASCII || encoding == Encoding::BINARY

      def self.utf8(text, encoding = text.encoding)
        return text.dup.force_encoding(Encoding::UTF_8) if text.ascii_only?
        return text.dup.force_encoding(LATIN).encode(Encoding::UTF_8, fallback: FROM_LATIN) if bytes?(encoding)
        unless encoding == Encoding::UTF_8
          return text.encode(Encoding::UTF_8, encoding, invalid: :replace, undef: :replace)
        end

        text.valid_encoding? ? text : Native.path_repair(text)
      end

      attr_reader :path, :base

      def initialize(path, base, tilde)
        @encoding = base ? PosixEncodings.strictly_common(path, base) : path.encoding
        @encoding = Encoding.find("filesystem") if tilde && Path.home?(path) && path.ascii_only?
        @path = WindowsEncodings.utf8(path)
        @base = base && WindowsEncodings.utf8(base)
      end

      def restore(answer, _directory)
        answer.force_encoding(Encoding::UTF_8)
        return answer.force_encoding(@encoding) if answer.ascii_only? || @encoding == Encoding::UTF_8
        return answer.encode(@encoding, invalid: :replace, undef: :replace) unless WindowsEncodings.bytes?(@encoding)

        answer.encode(LATIN, fallback: TO_LATIN).force_encoding(@encoding)
      end
    end
  end
end
