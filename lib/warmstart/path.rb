# frozen_string_literal: true

if defined?(Warmstart::FOLDER) && Warmstart::FOLDER != __dir__
  require File.join(Warmstart::FOLDER, "path") # (another copy: warmstart/native)
  return
end

require_relative "native"
require_relative "path/rules"

module Warmstart
  # Paths as text, by this system's rules; Path::Posix and Path::Windows are the rules of either system, on every
  # system. All of it is lexical: the disk is never asked, 8.3 short names and case stay as they are written. The one
  # exception is `canonical`.
  #
  #   Warmstart::Path.expand("../lib", __dir__)
  #   Warmstart::Path::Windows.expand("..\\lib", "C:/app/bin")     # => "C:/app/lib"
  #   Warmstart::Path::Windows.same?("C:/App/É.rb", "c:\\app\\é.rb") # => true
  #
  # docs/paths.md has the rules, and what differs from File's methods.
  module Path
    Posix = Rules.new(windows: false)
    Windows = Rules.new(windows: true)

    class << self
      # This system's rules: Posix or Windows.
      # @return [Rules]
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

      # The one true name of a file that exists: links and junctions followed; on Windows also long names in the place
      # of 8.3 names, and the case in which they are stored. Two paths to one file have one canonical name, so this, and
      # nothing lexical, tells whether a file lies in a folder. Asks the system.
      # @param path [String, #to_path]
      # @param base [String, #to_path, nil] where a relative path begins; nil: the working directory
      # @return [String] absolute, in the path's encoding
      # @raise [SystemCallError] what File.realpath raises: Errno::ENOENT, EACCES, ELOOP, ENOTDIR ...
      # @raise [ArgumentError] a NUL byte
      def canonical(path, base = nil)
        name = long_name(File.path(path), base) if Native.respond_to?(:final_path)
        name || (base ? File.realpath(path, base) : File.realpath(path))
      end

      private

      # Windows: what the system says of the open file. Where it says nothing, Ruby says why; a device is in no folder.
      def long_name(path, base)
        text = Windows.expand(path, base).encode(Encoding::UTF_8, invalid: :replace, undef: :replace)
        name = text.start_with?("//./") ? text : Native.final_path(text)
        name&.encode(path.encoding, undef: :replace)
      end
    end
  end
end
