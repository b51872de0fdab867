# frozen_string_literal: true

module Warmstart
  module Profiler
    # The first Ruby process of a command claims its recording; what it spawns finds it claimed, if the variables ever
    # get there. After exec it is the same process: a further recording, which is the one that counts.
    class Claim
      # @param folder [String] of the recording
      # @param process_started [Integer] ns, CLOCK_MONOTONIC
      # @param interposer [String, nil] the library that was preloaded
      def initialize(folder, process_started, interposer)
        @folder = folder
        @process_started = process_started
        @interposer = interposer
      end

      # For exec on Windows, where the next program is another process, for which this one waits: the next Ruby process
      # may claim it.
      # @param folder [String] of the recording
      # @param owner [Integer] a pid; ANYBODY
      def self.leave(folder, owner = ANYBODY)
        File.open(File.join(folder, "claim"), File::RDWR) do |file|
          file.flock(File::LOCK_EX)
          _, number, ruby = file.read.split(" ", 3)
          file.rewind
          file.truncate(0)
          file.write("#{owner} #{number} #{ruby}")
        end
      end

      ANYBODY = 0

      # @param started [Integer] CPU time of the thread when the profiler's own first line ran, in ns
      def start(started)
        return unless (number = claim)

        @number = number
        require_relative "native"
        obstacle = Profiler.obstacle
        return problem(obstacle) if obstacle

        require_relative "hooks"
        require_relative "details"
        require_relative "following"
        Native.count_calls if @interposer
        Native.start(path("nodes"), @process_started, $PROGRAM_NAME, Environment.thread_time - started)
        Hooks.install
        Hooks.follow(Following.new(@folder, @process_started, @interposer))
        finish_at_exit
      rescue SystemCallError => error
        problem("cannot write the recording: #{error.message}; TMPDIR names another folder")
      end

      private

      # The recording's number, or nil: it is another process's.
      def claim
        File.open(File.join(@folder, "claim"), File::RDWR | File::CREAT, 0o600) do |file|
          file.flock(File::LOCK_EX)
          owner, number = file.read.split.map(&:to_i)
          return nil if owner && owner != Process.pid && owner != ANYBODY

          number = number.to_i + 1
          file.rewind
          file.write("#{Process.pid} #{number} #{RbConfig.ruby if defined?(RbConfig)}")
          number
        end
      end

      def path(kind) = File.join(@folder, "#{kind}.#{@number}")

      # Registered first, so it runs last.
      def finish_at_exit
        pid = Process.pid
        at_exit do
          if Process.pid == pid
            Native.finish
            begin
              File.binwrite(path("details"), Marshal.dump(Details.collect))
            rescue SystemCallError
              forget(path("details")) # (a full disk: what only this could tell is missing then)
            end
          end
        end
      end

      def forget(path)
        File.unlink(path)
      rescue SystemCallError
        nil
      end

      def problem(text)
        File.write(path("problem"), text)
      rescue SystemCallError
        nil
      end
    end
  end
end
