# frozen_string_literal: true

module Warmstart
  module Profiler
    # The variables by which `warmstart profile` makes a command profile itself. They are removed before the program can
    # see them. Both `warmstart profile` and the profiled process load this file, so it uses only Ruby's core.
    # @api private
    module Environment
      # The recording's folder, and the time at which the process was started (CLOCK_MONOTONIC, ns).
      FOLDER = "WARMSTART_PROFILE"
      STARTED = "WARMSTART_PROFILE_STARTED"

      # The beginning of the names of variables that hold a previous value, if there was one:
      # WARMSTART_PROFILE_SAVED_RUBYOPT.
      SAVED = "WARMSTART_PROFILE_SAVED_"
      WINDOWS = !File::ALT_SEPARATOR.nil?
      # The variable that decides whether file system calls are counted: it names the library to preload. On Windows
      # nothing is preloaded, and the value only says that the process has to count (Native.count_calls).
      PRELOAD =
        if WINDOWS
          "WARMSTART_PROFILE_CALLS"
        else
          RUBY_PLATFORM.include?("darwin") ? "DYLD_INSERT_LIBRARIES" : "LD_PRELOAD"
        end
      IMPORTS = "interposer"
      CHANGED = ["RUBYOPT", "RUBYLIB", PRELOAD].freeze
      START = File.join(__dir__, "start.rb")

      class << self
        # @param folder [String] the folder of the recording
        # @param interposer [String, nil] the library that is preloaded; nil: file system calls are not counted
        # @param started [Integer, nil] when the process was started, in ns; nil: it is about to be started
        # @param base [#[]] the environment that the program would have without profiling
        # @return [Hash{String => String}] the variables to change in it
        def to_profile(folder, interposer: nil, started: nil, base: ENV)
          saved = CHANGED.to_h { |name| ["#{SAVED}#{name}", base[name]] }.compact
          changes =
            saved.merge(
              FOLDER => folder,
              STARTED => (started || Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)).to_s
            )
          changes[PRELOAD] = [interposer, base[PRELOAD]].compact.reject(&:empty?).join(":") if interposer
          changes.merge(ruby_options(base))
        end

        # Undoes the changes in this process's environment.
        # @return [Array(String, Integer, String), nil] the folder, the time at which the process was started, and the
        #   interposer or nil
        def restore
          folder = ENV.delete(FOLDER)
          started = ENV.delete(STARTED)
          interposer = ENV[PRELOAD].to_s.split(":").find { |path| path.include?("interposer") }
          CHANGED.each { |name| ENV[name] = ENV.delete("#{SAVED}#{name}") } if folder
          folder && [folder, started.to_i, interposer]
        end

        # @return [Integer] nanoseconds of CPU time of this thread; on Windows, where Ruby has no such clock, of wall
        #   time
        def thread_time
          Process.clock_gettime(WINDOWS ? Process::CLOCK_MONOTONIC : Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)
        end

        private

        # Ruby splits RUBYOPT at blanks and knows no quotes. So a folder with a blank in its name is added to RUBYLIB.
        def ruby_options(base)
          return { "RUBYOPT" => join(" ", "-r#{START}", base["RUBYOPT"]) } unless START.match?(/\s/)

          {
            "RUBYOPT" => join(" ", "-rwarmstart/profiler/start", base["RUBYOPT"]),
            "RUBYLIB" => join(File::PATH_SEPARATOR, File.expand_path("../..", __dir__), base["RUBYLIB"])
          }
        end

        def join(separator, *parts) = parts.compact.reject(&:empty?).join(separator)
      end
    end
  end
end
