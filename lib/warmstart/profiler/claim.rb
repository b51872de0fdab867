# frozen_string_literal: true

module Warmstart
  module Profiler
    # The first Ruby process of a command claims the recording. The processes that it starts find it claimed, in case
    # they inherit the variables. After exec it is the same process: it begins another recording, and the last one
    # counts.
    # @api private
    class Claim
      # @param folder [String] the folder of the recording
      # @param process_started [Integer] ns, CLOCK_MONOTONIC
      # @param interposer [String, nil] path of the preloaded library
      def initialize(folder, process_started, interposer)
        @folder = folder
        @process_started = process_started
        @interposer = interposer
      end

      # Gives the claim up. This is for exec on Windows, where the next program is another process, for which this one
      # waits: the next Ruby process may claim the recording.
      # @param folder [String] the folder of the recording
      # @param owner [Integer] a pid, or ANYBODY
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

      # @param started [Integer] CPU time of the thread, in ns, when the first line of the profiler ran
      def start(started)
        return unless (number = claim)

        @number = number
        require_relative "native"
        obstacle = Profiler.obstacle
        return problem(obstacle) if obstacle

        require_relative "hooks"
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

      # @return [Integer, nil] the number of the recording; nil: another process has claimed it
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

      # Registered before all other handlers, so it runs last.
      def finish_at_exit
        pid = Process.pid
        at_exit do
          if Process.pid == pid
            Native.finish
            begin
              File.binwrite(path("details"), Marshal.dump(Details.collect))
            rescue SystemCallError
              forget(path("details")) # (the disk is full: what only these details tell is missing then)
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
