# frozen_string_literal: true

require "fileutils"
require "securerandom"

require_relative "store"

module Warmstart
  module Stores
    # A store in a folder, on this machine or on a file server. Each file is written under a temporary name and renamed,
    # so readers and other writers see it whole or not at all.
    # @api private
    class Folder
      TEMPORARY = /\A\.\h{16}\.temporary\z/
      # A temporary file that is older was left by a push that was killed.
      YOUNG_SECONDS = 3600

      FLAGS =
        File::RDONLY | File::BINARY | (defined?(File::NOFOLLOW) ? File::NOFOLLOW : 0) |
          (defined?(File::NONBLOCK) ? File::NONBLOCK : 0)

      def initialize(path)
        @path = path
      end

      def to_s = @path

      # Whether nobody but this user (and root) can write here.
      def own?
        return true unless File::ALT_SEPARATOR.nil?

        stat = File.stat(@path)
        [Process.euid, 0].include?(stat.uid) && stat.mode.nobits?(0o022)
      rescue SystemCallError
        true # (there is none yet)
      end

      def read(name, limit)
        File.open(path(name), FLAGS) do |file|
          raise Trouble, "#{path(name)} is not a regular file" unless file.stat.file?

          bytes = file.read(limit + 1).to_s
          raise Trouble, "#{path(name)} is larger than it can be" if bytes.bytesize > limit

          bytes
        end
      rescue Errno::ENOENT, Errno::ENOTDIR
        raise Trouble, "there is no folder #{@path}" unless File.directory?(@path)
      rescue SystemCallError => error
        raise Trouble, "cannot read #{path(name)}: #{Stores.reason(error)}"
      end

      def has?(name)
        return false unless File.file?(path(name))

        touch(name)
        true
      end

      def write(name, bytes)
        folder = File.dirname(path(name))
        make(folder)
        temporary = File.join(folder, ".#{SecureRandom.hex(8)}.temporary")
        File.open(temporary, File::WRONLY | File::CREAT | File::EXCL | File::BINARY, 0o666) { |file| file.write(bytes) }
        File.rename(temporary, path(name))
      rescue SystemCallError => error
        raise Trouble, "cannot write #{path(name)}: #{Stores.reason(error)}"
      ensure
        remove_file(temporary) if temporary
      end

      def files
        raise Trouble, "there is no folder #{@path}" unless File.directory?(@path)

        %w[pieces images].flat_map { |name| files_below(name) }
      rescue SystemCallError => error
        raise Trouble, "cannot list #{@path}: #{Stores.reason(error)}"
      end

      # Removes what killed pushes have left.
      def sweep
        Dir
          .glob("{pieces,images}/**/.*.temporary", base: @path)
          .each do |name|
            next unless File.basename(name).match?(TEMPORARY)

            remove_file(path(name)) if Time.now - File.lstat(path(name)).mtime > YOUNG_SECONDS
          rescue Errno::ENOENT
            nil
          end
      end

      def remove(name)
        File.unlink(path(name))
      rescue Errno::ENOENT
        nil
      rescue SystemCallError => error
        raise Trouble, "cannot remove #{path(name)}: #{Stores.reason(error)}"
      end

      private

      def path(name) = File.join(@path, name)

      # (Dir.glob would leave out what may not be seen, and the pieces of an image that nobody sees would be removed.)
      def files_below(folder)
        names = Dir.children(path(folder)).reject { |child| child.start_with?(".") }
        names
          .map { |child| "#{folder}/#{child}" }
          .flat_map do |name|
            stat = File.lstat(path(name))
            next files_below(name) if stat.directory?

            stat.file? ? [[name, stat.size, stat.mtime]] : []
          rescue Errno::ENOENT
            [] # (another prune)
          end
      rescue Errno::ENOENT
        [] # (nothing was pushed yet)
      end

      # The folder of the store itself is made, but not those above: where a file server is not mounted, they are missing.
      def make(folder)
        Dir.mkdir(@path) unless File.directory?(@path)
        FileUtils.mkdir_p(folder)
      rescue Errno::EEXIST
        FileUtils.mkdir_p(folder)
      end

      # (Somebody else's file stays as old as it is; prune then may remove it under this push, which costs a miss.)
      def touch(name)
        File.utime(nil, nil, path(name))
      rescue SystemCallError
        nil
      end

      def remove_file(path)
        File.unlink(path)
      rescue SystemCallError
        nil
      end
    end
  end
end
