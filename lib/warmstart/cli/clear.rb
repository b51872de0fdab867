# frozen_string_literal: true

require_relative "command"
require_relative "../units"

module Warmstart
  module CLI
    # `warmstart clear`: removes the images of all Rubies. Other files in the folder stay.
    # @api private
    class Clear < Command
      USAGE = "[OPTIONS]"
      ABOUT = "Removes this application's image. The next boot makes a new one.\n"

      private

      def define(parser)
        define_target(parser)
        parser.on("--all", "remove every image in the user's cache folder instead")
        parser.on("--quiet", "print nothing, unless something goes wrong")
      end

      def execute(rest)
        no_arguments(rest)
        need_extension
        folders = @options[:all] ? user_folders : [target.directory]
        removed = folders.sum { |folder| clear(folder) }
        unless @options[:quiet]
          puts "removed #{Units.bytes(removed)} from #{folders.size == 1 ? folders.first : "#{folders.size} folders"}"
        end
        0
      end

      def user_folders
        paths = Dir.children(user_folder).sort.map { |name| File.join(user_folder, name) }
        paths.select { |path| File.directory?(path) && !File.symlink?(path) }
      rescue Errno::ENOENT
        []
      end

      def clear(folder)
        removed, message = Native.clear(folder)
        raise Error, "#{message}; nothing was removed from there" if removed.is_a?(Symbol)

        begin
          Dir.rmdir(folder)
        rescue SystemCallError
          nil # (there is something else in it, or it does not exist)
        end
        removed
      end
    end
  end
end
