# frozen_string_literal: true

module Warmstart
  module Path
    # File.basename, dirname, extname, split and join by the rules of a system on which this process does not run; by
    # the rules of its own system File answers. Follows CRuby's file.c, where one source serves both systems; the name of
    # CRuby's function stands in parentheses. Nothing is normalized: the results are pieces of the given path.
    # @api private
    class Names
      # From Ruby 3.4 on the "." that File.dirname returns has the path's encoding.
      HERE_LIKE_PATH = File.dirname("a").encoding != Encoding::US_ASCII
      private_constant :HERE_LIKE_PATH

      # What a path begins with: "C:", "//host/share" (skipprefix).
      PREFIX = %r{\A(?:[/\\]{2,}[^/\\]*(?:[/\\][^/\\\0][^/\\]*)?|[A-Za-z]:)}n
      DRIVE = /\A[A-Za-z]:/n
      # A name on NTFS: dots and spaces at its end, and a stream, are not part of it (ntfs_tail).
      NTFS_NAME = %r{\A(?>\.*)(?:(?>[. ]+)(?=[^:])|[^. :/\\])*}n
      private_constant :PREFIX, :DRIVE, :NTFS_NAME

      def initialize(windows:)
        @windows = windows
        separator, other = windows ? %w[[/\\\\] [^/\\\\]] : %w[/ [^/]]
        @separators = /\A#{separator}*/n
        @trailing = /#{separator}*\z/n
        @last = /#{separator}+#{other}+#{separator}*\z/n
        @prefix = windows ? PREFIX : /\A/n
        @name = windows ? NTFS_NAME : %r{\A[^/]*}n
        freeze
      end

      def basename(path, suffix = nil)
        path = string(path)
        suffix = suffix_for(path, suffix) if suffix
        return slice(path, 0) if path.empty? || path.start_with?("\0")

        bytes = searchable(path)
        prefix = matched(bytes, @prefix)
        start = prefix + matched(slice(bytes, prefix), @separators)
        return root(path, prefix, start) if start == bytes.size || bytes[start] == "\0"

        start += start_of_name(slice(bytes, start))
        name = slice(path, start, matched(slice(bytes, start), @name))
        suffix ? without_suffix(name, suffix) : name
      end

      def dirname(path, level = 1)
        path = complete(path)
        raise ArgumentError, "negative level: #{level}" if level.negative?

        bytes = searchable(path)
        start, root = start_and_root(bytes)
        folder = slice(bytes, root)
        level = [level, folder.size].min
        level.times { folder = slice(folder, 0, folder.index(@last) || 0) }
        directory = slice(path, start, root - start + folder.size)
        return HERE_LIKE_PATH ? ".".encode(path.encoding) : ".".encode(Encoding::US_ASCII) if directory.empty?
        @windows && bytes.match?(DRIVE) ? with_drive(directory, root) : directory
      end

      def extname(path)
        path = complete(path)
        bytes = searchable(path)
        start = start_of_name(bytes)
        name = slice(bytes, start)[@name].to_s
        dot = dot_of(name)
        dot ? slice(path, start + dot, name.size - dot) : "".b
      end

      def split(path)
        path = string(path)
        [dirname(path), basename(path)]
      end

      def join(*parts) = join_all(parts, [])

      private

      # The path's bytes, but "x" in the place of characters of several bytes, whose later bytes may look like "\"
      # (Shift_JIS, GBK, Big5). In UTF-8 they cannot.
      def searchable(path)
        return path.b if path.encoding == Encoding::UTF_8 || path.ascii_only?

        path.each_char.map { |character| character.bytesize == 1 ? character.b : "x" * character.bytesize }.join.b
      end

      def slice(text, from, size = text.bytesize) = text.byteslice(from, size).to_s

      def matched(bytes, pattern) = bytes[pattern].to_s.size

      # Where the last name begins. Separators at the end do not count (strrdirsep).
      def start_of_name(bytes)
        separator = bytes.index(@last)
        separator ? separator + matched(slice(bytes, separator), @separators) : 0
      end

      # The last dot of a name; those that it begins with do not count.
      def dot_of(name)
        dot = name.rindex(".")
        dot if dot && dot >= matched(name, /\A\.*/n)
      end

      # The basename of a path that has no name.
      def root(path, prefix, start)
        return slice(path, start - 1, 1) if !@windows || start != prefix

        (path.getbyte(start - 1) == ":".ord ? "" : "/").encode(path.encoding)
      end

      # (rmext) A suffix of one character and a star, "?*", removes everything from the last such character on; ".*"
      # removes any extension. A name is never removed completely.
      def without_suffix(name, suffix)
        size =
          if suffix == ".*"
            dot_of(searchable(name)) || name.bytesize
          elsif suffix.size == 2 && suffix.end_with?("*")
            before, found, = name.rpartition(suffix[0].to_s)
            found.empty? ? name.bytesize : before.bytesize
          else
            name.bytesize - (ends_in?(name, suffix) ? suffix.bytesize : 0)
          end
        size.positive? ? slice(name, 0, size) : name
      end

      # Windows ignores the case of ASCII letters. (The end of the name need not be the end of a character.)
      def ends_in?(name, suffix)
        return false if name.bytesize <= suffix.bytesize

        tail = slice(name, -suffix.bytesize, suffix.bytesize)
        same = @windows ? tail.b.casecmp?(suffix.b) : tail.b == suffix.b
        same && name.end_with?(tail)
      end

      # Where a folder's name begins, and where that begins which a level may remove. POSIX keeps one of several
      # separators at the beginning, Windows two.
      def start_and_root(bytes)
        drive = @windows ? matched(bytes, DRIVE) : 0
        root = drive + matched(slice(bytes, drive), @separators)
        return 0, root if root < 2 || drive.positive?
        return root - 1, root unless @windows

        [root - 2, root - 2 + matched(slice(bytes, root - 2), @prefix)]
      end

      # "C:" is "C:.", and "C:///a" is "C:/a".
      def with_drive(directory, root)
        return directory.bytesize == 2 ? directory << "." : directory if root == 2

        slice(directory, 0, 3) << slice(directory, root)
      end

      # (Unlike File.path, this accepts NUL bytes, as File.basename does.)
      def string(path)
        return File.path(path) unless path.is_a?(String)
        unless path.encoding.ascii_compatible?
          raise Encoding::CompatibilityError, "path name must be ASCII-compatible (#{path.encoding}): #{path.inspect}"
        end

        path
      end

      # (Unlike `string`, this refuses NUL bytes, as File.dirname, extname and join do.)
      def complete(path)
        path = string(path)
        raise ArgumentError, "string contains null byte" if path.b.include?("\0")

        path
      end

      def suffix_for(path, suffix)
        suffix = String.try_convert(suffix) || raise(TypeError, "no implicit conversion of #{suffix.class} into String")
        complete(suffix)
        return unless Encoding.compatible?(path, suffix)

        check_characters(suffix[0].to_s)
        check_characters(basename(path)) if suffix.size == 2 && suffix.end_with?("*") && suffix != ".*"
        suffix
      end

      # (Ruby reads this text character by character, so it must be valid.)
      def check_characters(text)
        raise ArgumentError, "invalid byte sequence in #{text.encoding}" unless text.valid_encoding?
      end

      def join_all(parts, above)
        raise ArgumentError, "recursive array" if above.any? { |array| array.equal?(parts) }

        texts = parts.map { |part| part.is_a?(Array) ? join_all(part, above + [parts]) : complete(part) }
        texts.drop(1).reduce(texts.first&.dup) { |joined, text| joined && append(joined, text) } || +""
      end

      def append(joined, part)
        encoding = PosixEncodings.common(joined, part)
        bytes = searchable(joined)
        trailing = matched(bytes, @trailing)
        rooted = matched(part.b, @separators).positive?
        text = joined.b
        if rooted
          text = slice(text, 0, text.size - trailing)
        elsif trailing.zero?
          text << "/"
        end
        (text << part.b).force_encoding(encoding)
      end
    end
  end
end
