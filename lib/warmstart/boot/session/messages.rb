# frozen_string_literal: true

module Warmstart
  class Session
    # What the user is told when something is wrong. Loaded then. A line is printed only for what somebody has to mend, and
    # can: a place that this user can never write to (a read-only root, a home that does not exist, another user's folder
    # after the server has dropped its rights) would bring a line with each start. Of that `warmstart status` tells, and
    # WARMSTART_LOG=1.
    # @api private
    module Messages
      class << self
        # There is no folder for the image.
        # @return [false]
        def no_folder
          Native.log("no folder for the boot image: #{Location.no_folder}; set WARMSTART_CACHE_DIR")
          false
        end

        # @param problem [Symbol] why the image is not used
        # @param kept [Boolean] whether this process must leave the image as it is
        # @param made_anew [Boolean] whether it writes another one
        # @return [String] what the user may do, or what Warmstart does, to be added to the complaint
        def remedy(problem, kept:, made_anew:)
          case problem
          when :writable
            Location::WINDOWS ? " (icacls shows who may write)" : " (chmod go-w fixes it)"
          when :elsewhere
            return ", and the image is made anew" unless kept

            " (docs/security.md says which images are believed; WARMSTART_CACHE_DIR names a folder of your own)"
          when :fingerprint
            " (build the image again for this application)"
          when :not_regular
            " (symlinks, FIFOs and the like are not taken for an image: remove what stands in its place)"
          when :foreign_owner
            " (an image is code: chown or remove it)"
          when :system
            " (WARMSTART_CACHE_DIR names another folder)"
          else
            made_anew ? ", and the image is made anew" : ""
          end
        end

        # Nothing could be written.
        # @param result [Hash] Native.recorded
        def failure(result)
          line = "#{result[:message]}; nothing was recorded"
          return Native.log(line) if result[:error] == :foreign_owner || LASTING.include?(result[:errno])

          Native.complain("#{line} (WARMSTART_READONLY=1 records nothing, silently)")
        end

        # Why nothing can be written to a place, today and tomorrow.
        LASTING =
          [Errno::EROFS, Errno::EACCES, Errno::EPERM, Errno::ENOTDIR, Errno::ENOENT].map do |error|
              error.const_get(:Errno)
            end
            .freeze
        private_constant :LASTING
      end
    end
  end
end
