# frozen_string_literal: true

if defined?(Warmstart::FOLDER) && Warmstart::FOLDER != __dir__
  require File.join(Warmstart::FOLDER, "file_system") # (another copy of Warmstart came first: see warmstart/native)
  return
end

require_relative "native"

module Warmstart
  # Lists a folder or a tree, or looks up many paths, with metadata, in one operation that makes as few system calls as
  # possible and does not hold Ruby's lock. It can be used by itself: `require "warmstart/file_system"` turns nothing
  # else on. See docs/windows_and_files.md.
  #
  # Nothing is cached between operations: each asks the disk again.
  module FileSystem
    # The metadata that is fetched unless `fields` says otherwise. There are also :ctime, :inode, :device, :mode,
    # :links, :owner (with the group) and :acl. Each may cost a system call per file, so only what is asked for is
    # fetched.
    FIELDS = %i[type size mtime].freeze

    class << self
      # Lists a folder, and with `recursive` (or a block) the folders below it. Links are listed, never followed.
      #
      # @param directory [String, #to_path]
      # @param fields [Array<Symbol>]
      # @param recursive [Boolean] whether to enter every folder below
      # @param errors [:raise, :keep] what happens to a file or folder that cannot be read (EACCES, for instance).
      #   :raise: the first one raises as File.lstat or Dir.children does. :keep: see Entry#error and
      #   Listing#folder_errors.
      # @param vanished [:skip, :keep, :raise] what happens to names that disappear between listing and metadata call
      # @param threads [Integer, nil] the maximum; nil: one thread, and more as soon as calls prove slow
      # @yieldparam entry [Entry] a folder
      # @yieldreturn [Boolean] whether to enter it
      # @return [Listing] in the system's order; the names of a folder are together, and nearer folders come first
      # @raise [SystemCallError] the folder itself cannot be read; or as `errors` says
      def scan(directory, fields: FIELDS, recursive: false, errors: :raise, vanished: :skip, threads: nil, &enter)
        Listing.scan(directory, fields, recursive, enter, threads, keep?(errors), vanished)
      end

      # Fetches the metadata of many paths. A path that occurs twice is looked up once.
      #
      # @param paths [Array<String, #to_path>]
      # @param fields [Array<Symbol>]
      # @param follow [Boolean] true: follow links, as File.stat; false: describe the links themselves, as File.lstat
      # @param errors [:raise, :keep] as for scan
      # @param vanished [:keep, :skip, :raise] what happens to paths that do not exist. :keep: their metadata is nil,
      #   and Entry#error is ENOENT or ENOTDIR. :skip: the same without the error.
      # @param threads [Integer, nil] as for scan
      # @return [Listing] in the order of the paths
      # @raise [SystemCallError] as `errors` and `vanished` say
      def stat_many(paths, fields: FIELDS, follow: false, errors: :raise, vanished: :keep, threads: nil)
        Listing.stat(paths, fields, follow, threads, keep?(errors), vanished)
      end

      private

      def keep?(errors)
        return errors == :keep if %i[raise keep].include?(errors)

        raise ArgumentError, "errors must be :raise or :keep"
      end
    end

    # (The class is defined in C, in ext/warmstart/ruby/file_system/listing.c. Here are the methods that need no C.)
    class Listing
      # (No alias: without the extension there is no `size`, and this file must load all the same.)
      def length = size

      def empty? = size.zero?

      def types = column(:type)

      def sizes = column(:size)

      def mtimes = column(:mtime)

      def inspect = "#<#{self.class} #{size} entries>"
    end

    class Entry
      # @return [String] the last component of the name
      def basename = File.basename(name)

      def file? = type == :file

      def directory? = type == :directory

      def symlink? = type == :link

      # @return [Boolean] false for a path that does not exist, and for one that could not be looked up
      def exist? = !error

      def inspect = "#<#{self.class} #{path}>"
    end
  end
end
