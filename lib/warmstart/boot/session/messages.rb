# frozen_string_literal: true

module Warmstart
  class Session
    # What the user is told when something is wrong. Loaded then.
    # @api private
    module Messages
      class << self
        # There is no folder for the image.
        # @return [false]
        def no_folder
          home = Location::WINDOWS ? "LOCALAPPDATA" : "HOME"
          why =
            if Location.user_cache
              "the user's cache folder lies in the application's, which may have brought it along"
            else
              "#{home} is not set"
            end
          Native.complain("no folder for the boot image: #{why}; set WARMSTART_CACHE_DIR")
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
            " (an image is code: chown it, or set WARMSTART_CACHE_DIR to a folder of your own)"
          when :system
            " (WARMSTART_CACHE_DIR names another folder)"
          else
            made_anew ? ", and the image is made anew" : ""
          end
        end

        # Nothing could be written.
        # @param result [Hash] Native.recorded
        def failure(result)
          remedy =
            if result[:error] == :foreign_owner
              "WARMSTART_CACHE_DIR names a folder of your own"
            else
              "WARMSTART_READONLY=1 records nothing, silently"
            end
          Native.complain("#{result[:message]}; nothing was recorded (#{remedy})")
        end
      end
    end
  end
end
