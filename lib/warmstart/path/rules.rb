# frozen_string_literal: true

require_relative "encodings"
require_relative "names"

module Warmstart
  module Path
    # The path rules of one system; Path::Posix and Path::Windows are the two instances. Each method answers as File's
    # method of the same name does in CRuby on that system. A path is a String or has #to_path.
    class Rules
      # @api private
      # @param windows [Boolean]
      def initialize(windows:)
        @windows = windows
        @encodings = windows ? WindowsEncodings : PosixEncodings
        @names = Names.new(windows: windows)
        freeze
      end

      # @return [Boolean] whether these are the rules of Windows
      def windows? = @windows

      # @return [Boolean] whether these are the rules of the system on which this process runs
      def native? = Native.path_windows? == @windows

      # As File.expand_path: the path is absolute and without "." and "..", and "~" is the home folder. One difference:
      # if the file exists, Ruby on Windows also replaces the last part by its long name in the stored case. This method
      # does not.
      # @param path [String, #to_path]
      # @param base [String, #to_path, nil] where a relative path begins; nil: the working directory
      # @param directory [String, nil] the working directory; nil: that of this process, which exists only for the rules
      #   of its own system
      # @param home [String, nil] the folder that "~" means; nil: as for directory
      # @param drives [Hash{String => String}, nil] Windows: working directories of other drives, {"D:" => "D:/work"}.
      #   On a drive that is not listed it is the root. nil: as for directory
      # @return [String] with "/" as separator, on Windows, too
      # @raise [ArgumentError] there is no such user; there is no home, or it is relative; the path contains a NUL byte;
      #   the path is relative and there is no directory
      # @raise [Encoding::CompatibilityError] the encodings of the paths do not fit together
      # @raise [Errno::ENAMETOOLONG] the path is longer than 16 MiB
      def expand(path, base = nil, directory: nil, home: nil, drives: nil)
        resolve(path, base, true, directory, home, drives)
      end

      # As File.absolute_path: like `expand`, but "~" is an ordinary name.
      # @return [String]
      def absolute(path, base = nil, directory: nil, drives: nil)
        resolve(path, base, false, directory, nil, drives)
      end

      # As File.absolute_path?: true for "/a"; on Windows true for "C:/a" and "//host/share", but not for "/a" and
      # "C:a".
      # @return [Boolean]
      def absolute?(path) = Native.path_absolute?(@windows, File.path(path))

      # As File.basename. On Windows the result has no trailing dots and spaces, and no stream ("a.rb::$DATA" gives
      # "a.rb").
      # @param suffix [String, nil] is removed if the name ends in it (on Windows in any case); ".*" removes any
      #   extension
      # @return [String]
      def basename(path, suffix = nil) = suffix ? names.basename(path, suffix) : names.basename(path)

      # As File.dirname.
      # @param level [Integer] how many parts to remove
      # @return [String]
      # @raise [ArgumentError] the level is negative, or the path contains a NUL byte
      def dirname(path, level = 1) = names.dirname(path, level)

      # As File.extname.
      # @return [String] the extension with its dot; empty if there is none
      def extname(path) = names.extname(path)

      # As File.split: dirname and basename.
      # @return [Array(String, String)]
      def split(path) = names.split(path)

      # As File.join.
      # @param parts [Array<String, #to_path, Array>]
      # @return [String]
      # @raise [ArgumentError] an Array contains itself, or there is a NUL byte
      def join(*parts) = names.join(*parts)

      # Whether the system takes the two paths for the same name, once they are expanded. POSIX compares the bytes.
      # Windows ignores case, by the system's own table of capitals. Two paths that differ may still lead to one file,
      # by links and short names: see Path.canonical.
      # @return [Boolean]
      def same?(one, other, base = nil, **surroundings)
        Native.path_same?(
          @windows,
          comparable(expand(one, base, **surroundings)),
          comparable(expand(other, base, **surroundings))
        )
      end

      # Whether the path is the directory or lies in it, compared part by part. Both are compared as they are written:
      # expand them first, or make them canonical.
      # @return [Boolean]
      def within?(path, directory)
        Native.path_within?(@windows, comparable(File.path(path)), comparable(File.path(directory)))
      end

      def inspect = "#<Warmstart::Path #{@windows ? "Windows" : "Posix"}>"

      private

      def names = native? ? File : @names

      def resolve(path, base, tilde, directory, home, drives)
        path = File.path(path)
        base = File.path(base) if base
        encodings = @encodings.new(path, base, tilde)
        drives ||= {} unless native?
        answer = Native.path_expand(@windows, encodings.path, encodings.base, tilde, directory, home, drives)
        return encodings.restore(answer, directory) if answer.is_a?(String)
        # If HOME is not set, the user database or the system's folders tell the home; Dir.home is "" if they have none.
        return resolve(path, base, true, directory, Dir.home, drives) if answer == :no_home && native? && home.nil?
        # "~user" is in the user database, and such a path does not depend on the directory.
        return ask_ruby(path, base) if answer == :other_user && native? && !@windows

        answer == :unanswerable ? unanswerable(path, base, encodings) : refuse(answer, path, base)
      end

      # Windows: the path consists of spaces, which the system refuses, and Ruby's answer is "". macOS: the path has
      # characters that the file system ignores.
      def unanswerable(path, base, encodings)
        @windows ? encodings.restore(+"", nil) : ask_ruby(path, base)
      end

      def ask_ruby(path, base) = base ? File.expand_path(path, base) : File.expand_path(path)

      def refuse(answer, path, base)
        case answer
        when :no_directory
          raise ArgumentError, "#{(base || path).inspect} is relative: give its directory:"
        when :no_home
          raise ArgumentError, "couldn't find HOME environment -- expanding '~'"
        when :relative_home
          raise ArgumentError, "non-absolute home"
        when :other_user
          name = [path, base].compact.find { |text| text.start_with?("~") } || path
          raise ArgumentError, "can't find user #{name.scrub[%r{\A~([^/\\]*)}, 1]}"
        else
          raise Errno::ENAMETOOLONG, path
        end
      end

      def comparable(path) = @windows ? WindowsEncodings.utf8(path) : path
    end
  end
end
