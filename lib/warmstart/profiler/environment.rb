# frozen_string_literal: true

module Warmstart
  module Profiler
    # The variables by which a command is made to profile itself, and how they are taken out again before the program
    # sees them. Loaded by `warmstart profile` and by what it profiles, so: Ruby's core only.
    module Environment
      # The recording's folder; when the process was started (CLOCK_MONOTONIC, ns).
      FOLDER = "WARMSTART_PROFILE"
      STARTED = "WARMSTART_PROFILE_STARTED"

      # What was in a variable before, if anything was: WARMSTART_PROFILE_SAVED_RUBYOPT.
      SAVED = "WARMSTART_PROFILE_SAVED_"
      WINDOWS = !File::ALT_SEPARATOR.nil?
      # Who counts file system calls. On Windows nothing is preloaded: the value only says that the process shall count
      # (Native.count_calls).
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
        # @param folder [String] for the recording
        # @param interposer [String, nil] a library to be preloaded; nil: file system calls are not counted
        # @param started [Integer, nil] ns, when the process was started; nil: it will be now
        # @param base [#[]] the environment that the program would get
        # @return [Hash{String => String}] what to change in it
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

        # Takes everything out of this process's environment.
        # @return [Array(String, Integer, String), nil] the folder, when the process was started, the interposer or nil
        def restore
          folder = ENV.delete(FOLDER)
          started = ENV.delete(STARTED)
          interposer = ENV[PRELOAD].to_s.split(":").find { |path| path.include?("interposer") }
          CHANGED.each { |name| ENV[name] = ENV.delete("#{SAVED}#{name}") } if folder
          folder && [folder, started.to_i, interposer]
        end

        # Nanoseconds of a clock that goes on in this thread only while it runs; Ruby for Windows has none.
        def thread_time
          Process.clock_gettime(WINDOWS ? Process::CLOCK_MONOTONIC : Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)
        end

        private

        # RUBYOPT is split at blanks and knows no quotes; a folder with a blank in its name has to come by RUBYLIB.
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
