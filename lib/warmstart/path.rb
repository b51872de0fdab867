# frozen_string_literal: true

if defined?(Warmstart::FOLDER) && Warmstart::FOLDER != __dir__
  require File.join(Warmstart::FOLDER, "path") # (another copy of Warmstart came first: see warmstart/native)
  return
end

require_relative "native"
require_relative "path/rules"

module Warmstart
  # Operations on paths as text, by the rules of this system. Path::Posix and Path::Windows are the rules of either
  # system, and both can be used on every system. All operations but `canonical` are lexical: they never ask the disk,
  # and they leave 8.3 short names and case as they are.
  #
  #   Warmstart::Path.expand("../lib", __dir__)
  #   Warmstart::Path::Windows.expand("..\\lib", "C:/app/bin")     # => "C:/app/lib"
  #   Warmstart::Path::Windows.same?("C:/App/É.rb", "c:\\app\\é.rb") # => true
  #
  # docs/windows_and_files.md has the rules, and the differences from File's methods.
  module Path
    Posix = Rules.new(windows: false)
    Windows = Rules.new(windows: true)

    class << self
      # @return [Rules] those of this system: Posix or Windows
      def rules
        Native.path_windows? ? Windows : Posix
      end

      # @see Rules#expand
      def expand(path, base = nil) = rules.expand(path, base)
      # @see Rules#absolute
      def absolute(path, base = nil) = rules.absolute(path, base)
      # @see Rules#absolute?
      def absolute?(path) = rules.absolute?(path)
      # @see Rules#basename
      def basename(path, suffix = nil) = rules.basename(path, suffix)
      # @see Rules#dirname
      def dirname(path, level = 1) = rules.dirname(path, level)
      # @see Rules#extname
      def extname(path) = rules.extname(path)
      # @see Rules#split
      def split(path) = rules.split(path)
      # @see Rules#join
      def join(*parts) = rules.join(*parts)
      # @see Rules#same?
      def same?(one, other, base = nil) = rules.same?(one, other, base)
      # @see Rules#within?
      def within?(path, directory) = rules.within?(path, directory)

      # Asks the system for the one canonical name of a file that exists: links and junctions are followed, and on
      # Windows 8.3 names are replaced by long names, and the case is the stored one. All paths to one file have the
      # same canonical name, so it tells whether a file lies in a folder. The lexical methods cannot tell that.
      # @param path [String, #to_path]
      # @param base [String, #to_path, nil] where a relative path begins; nil: the working directory
      # @return [String] absolute, in the path's encoding
      # @raise [SystemCallError] as File.realpath: Errno::ENOENT, EACCES, ELOOP, ENOTDIR ...
      # @raise [ArgumentError] the path contains a NUL byte
      def canonical(path, base = nil)
        name = long_name(File.path(path), base) if Native.respond_to?(:final_path)
        name || (base ? File.realpath(path, base) : File.realpath(path))
      end

      private

      # Windows: the name that the system has for the open file. If the system gives none, the caller lets File.realpath
      # raise the reason. A device (//./) lies in no folder, so its name stays as it is.
      def long_name(path, base)
        text = Windows.expand(path, base).encode(Encoding::UTF_8, invalid: :replace, undef: :replace)
        name = text.start_with?("//./") ? text : Native.final_path(text)
        name&.encode(path.encoding, undef: :replace)
      end
    end
  end
end
