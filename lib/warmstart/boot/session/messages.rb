# frozen_string_literal: true

module Warmstart
  class Session
    # What the user is told when something is wrong. Loaded then. A line is printed only for what somebody has to mend, and
    # can, and it begins with what to type. Nothing is printed where Warmstart mends it by itself (a damaged image is made
    # anew), where the next start may be luckier (too many open files), and where nothing will change: a place that this
    # user can never write to (a read-only root, a home that does not exist, another user's folder after the server has
    # dropped its rights) would bring a line with each start. Of all that `warmstart status` tells, and WARMSTART_LOG=1.
    # @api private
    module Messages
      class << self
        # There is no folder for the image.
        # @return [false]
        def no_folder
          Native.log("no folder for the boot image: #{Location.no_folder}; set WARMSTART_CACHE_DIR")
          false
        end

        # The image is not used.
        # @param problem [Symbol] why, as Native.open names it
        # @param message [String]
        # @param path [String] of what is wrong with it
        # @param errno [Integer]
        # @param kept [Boolean] whether this process leaves the image as it is, rather than make it anew
        # @return [String, nil] the line; nil if nothing is to be done
        def refusal(problem, message, path, errno, kept:)
          todo = todo(problem, path, kept)
          "#{todo}: #{message}; Ruby starts as usual" if todo && (problem != :system || LASTING.include?(errno))
        end

        # Nothing could be written.
        # @param result [Hash] Native.commit_result
        def failure(result)
          todo = todo_about_room(result)
          line = "#{result[:message]}; nothing was recorded"
          todo ? Native.complain("#{todo}: #{line}") : Native.log(line)
        end

        private

        def todo(problem, path, kept)
          case problem
          when :writable
            Location::WINDOWS ? "take away the right to write to #{path} that icacls shows" : "chmod go-w #{path}"
          when :not_regular
            "remove #{path}"
          when :foreign_owner
            "chown or remove #{path}"
          when :fingerprint
            "build the image again for this application"
          when :system
            "make #{path} accessible, or set WARMSTART_CACHE_DIR to another folder"
          when :memory, :unreadable
            nil # (the next start may be luckier)
          when :elsewhere
            "set WARMSTART_CACHE_DIR to a folder of your own (docs/security.md says why)" if kept
          else
            "build the image again, or remove #{path}" if kept
          end
        end

        def todo_about_room(result)
          case result[:errno]
          when 0
            "raise WARMSTART_MAXIMUM_SIZE" if result[:error] == :full
          when Errno::ENOSPC::Errno, Errno::EDQUOT::Errno
            "free some disk space, or set WARMSTART_READONLY=1"
          end
        end

        # Why something cannot be opened today, nor tomorrow.
        LASTING =
          [Errno::EACCES, Errno::EPERM, Errno::ENOTDIR, Errno::ELOOP].map { |error| error.const_get(:Errno) }.freeze
        private_constant :LASTING
      end
    end
  end
end
