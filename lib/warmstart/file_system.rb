# frozen_string_literal: true

if defined?(Warmstart::FOLDER) && Warmstart::FOLDER != __dir__
  require File.join(Warmstart::FOLDER, "file_system") # (another copy: warmstart/native)
  return
end

require_relative "native"

module Warmstart
  # The file system, asked in as few calls as the system can: a folder, a tree or a list of paths, with metadata, in one
  # operation without Ruby's lock. Usable by itself: `require "warmstart/file_system"` turns nothing on.
  # docs/file_system.md
  #
  # Nothing is kept from one operation to the next: who asks again gets the disk's answer.
  module FileSystem
    # What is known of each name unless `fields` say otherwise. Others: :ctime, :inode, :device, :mode, :links, :owner
    # (with it the group), :acl. Each may cost a call a file, so only what is asked for is fetched.
    FIELDS = %i[type size mtime].freeze

    class << self
      # What lies in a folder, or with `recursive` (or a block) below it. Links are told, never followed.
      #
      # @param directory [String, #to_path]
      # @param fields [Array<Symbol>]
      # @param recursive [Boolean] into every folder below
      # @param errors [:raise, :keep] what cannot be looked at (EACCES, say): the first one raises as File.lstat or
      #   Dir.children does, or it is kept: Entry#error, Listing#folder_errors
      # @param vanished [:skip, :keep, :raise] names that are gone between listing and metadata call
      # @param threads [Integer, nil] at most so many; nil: one, and more as soon as calls prove slow
      # @yieldparam entry [Entry] a folder: is it to be looked into?
      # @return [Listing] in the system's order, each folder's names together, nearer folders first
      # @raise [SystemCallError] the folder itself cannot be read; or see errors
      def scan(directory, fields: FIELDS, recursive: false, errors: :raise, vanished: :skip, threads: nil, &enter)
        Listing.scan(directory, fields, recursive, enter, threads, keep?(errors), vanished)
      end

      # Metadata of many paths. A path that occurs twice is asked about once.
      #
      # @param paths [Array<String, #to_path>]
      # @param fields [Array<Symbol>]
      # @param follow [Boolean] what links lead to, as File.stat; else the links, as File.lstat
      # @param errors [:raise, :keep] as for scan
      # @param vanished [:keep, :skip, :raise] paths that are not there: facts nil, Entry#error ENOENT or ENOTDIR; :skip
      #   is :keep without the error
      # @param threads [Integer, nil] as for scan
      # @return [Listing] in the order of the paths
      def stat_many(paths, fields: FIELDS, follow: false, errors: :raise, vanished: :keep, threads: nil)
        Listing.stat(paths, fields, follow, threads, keep?(errors), vanished)
      end

      private

      def keep?(errors)
        return errors == :keep if %i[raise keep].include?(errors)

        raise ArgumentError, "errors must be :raise or :keep"
      end
    end

    # (The class is C's, in ext/warmstart/ruby/file_system/listing.c; here is what needs no C.)
    class Listing
      alias length size

      def empty? = size.zero?

      def inspect = "#<#{self.class} #{size} entries>"
    end

    class Entry
      # The last component of the name.
      def basename = File.basename(name)

      # What neither is there nor could be looked at has no facts.
      def exist? = !error

      def inspect = "#<#{self.class} #{path}>"
    end
  end
end
