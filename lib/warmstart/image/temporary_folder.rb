# frozen_string_literal: true

require "fileutils"
require "securerandom"

module Warmstart
  module Image
    # A folder beside an image's folder, in which the parts of a new image are collected. It has mode 0700 whatever the
    # umask is. Whoever makes it removes it; what was killed has left its own, and the next one removes that.
    # @api private
    module TemporaryFolder
      # No image was made, and why.
      class Failed < StandardError
      end

      PREFIX = ".warmstart-build-"
      # A folder that is older than a day was left by a process that was killed.
      ABANDONED_SECONDS = 86_400

      class << self
        # It is not made if the parent belongs to another user.
        # @param beside [String] the folder in which it is made
        # @param public_read [Boolean] whether everybody may read the folder around it
        # @return [String] its path
        # @raise [Failed]
        def make(beside, public_read)
          path = File.join(beside, "#{PREFIX}#{SecureRandom.hex(8)}")
          _, message = Native.make_folder(beside, public_read) || Native.make_folder(path, false)
          raise Failed, message if message

          remove_abandoned(beside)
          path
        rescue SystemCallError => error
          raise Failed, "cannot make a folder in #{beside}: #{error.message}"
        end

        private

        def remove_abandoned(beside)
          Dir
            .children(beside)
            .each do |name|
              path = File.join(beside, name)
              next unless name.start_with?(PREFIX)

              stat = File.lstat(path)
              FileUtils.rm_rf(path) if stat.directory? && stat.owned? && Time.now - stat.mtime > ABANDONED_SECONDS
            end
        end
      end
    end
  end
end
