# frozen_string_literal: true

require_relative "session/installing"
require_relative "session/recording"
require_relative "session/completing"

module Warmstart
  # How one process uses its image: opens it, installs the patches that answer from it, records what is new, and writes
  # that when the boot is over. Every failure leads to plain Ruby and at most one line on stderr. These three jobs are
  # in files of their own, which are the same class.
  # @api private
  class Session
    # How long the end of the program waits until the recording is written.
    FINISH_MILLISECONDS = 10_000

    # Failures that are not reported: there is no image yet; another process is writing, or has built an image
    # meanwhile.
    SILENT = %i[missing lock changed].freeze

    attr_reader :configuration, :location, :directory, :problem

    # @param early [Boolean] whether no code but Ruby's own has run yet
    # @param was_off [Boolean] whether the collector was off before setup switched it off
    def initialize(configuration, location, early: false, was_off: true)
      @configuration = configuration
      @early = early
      @was_off = was_off
      @location = location
      @directory = location.directory
    end

    # @return [Boolean] whether anything is installed
    def start
      Native.log = configuration.log
      Native.complain(configuration.complaints.join("; ")) if configuration.complaints.any?
      return messages.no_folder unless directory

      @standby = Native.attach_standby
      open_image
      install
      start_recording if may_record?
      expect_bundler if configuration.bundler
      expect_rails
      Moments.expect
      expect_standby if @standby
      govern if configuration.gc
      Native.finish_at_end(self)
      index_at_once
      Warmstart.collect_again unless @was_off
      true
    end

    # The end of the program: writes what is not written yet. Never raises. A child process has nothing to write.
    def finish
      return if @undone

      recorded = Failsafe.run("the end of the recording") { end_recording || Native.recording? }
      return unless recorded

      Native.wait(FINISH_MILLISECONDS)
      Failsafe.run("the end of the recording") do
        next unless (result = Native.commit_result)

        explain(result)
        announce if result[:written].positive?
      end
    end

    # The end of a program that has removed its image: what this program has recorded must not become the next image.
    def discard
      request_commit
      Native.wait(FINISH_MILLISECONDS)
      @discarded = true
      Native.clear(directory)
    end

    # Removes everything (for tests, and for programs that want plain Ruby after the boot).
    def stop
      boot_complete!
      uninstall
    end

    # A step of `start` has failed: as `stop`, but writes nothing.
    def undo
      @undone = true
      uninstall
      Failsafe.all([-> { Native.stop_recording }, -> { Native.complete! }])
    end

    private

    def messages
      Native.require_own("boot/session/messages")
      Messages
    end

    def explain(result)
      return if result[:error].nil? || SILENT.include?(result[:error])

      messages.failure(result)
      # (`warmstart build` looks for it: Image::Builder#complete?)
      Native.write_new("#{directory}/../incomplete", "") if configuration.training
    end
  end
end
