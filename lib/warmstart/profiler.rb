# frozen_string_literal: true

if defined?(Warmstart::FOLDER) && Warmstart::FOLDER != __dir__
  require File.join(Warmstart::FOLDER, "profiler") # (another copy of Warmstart came first: see warmstart/native)
  return
end

require_relative "profiler/native"

module Warmstart
  # The boot profiler: `warmstart profile -- COMMAND`, or a block of a running program. All that it knows of the
  # accelerator is what CoreExt.require_observer tells it (Hooks.accelerated).
  #
  #   profiler/start, claim, hooks, methods, details   run in the profiled process
  #   profiler/environment, run                        start a command so that it is profiled
  #   profiler/recording, profile                      read what it recorded (docs/profiling.md)
  #   profiler/report                                  print it
  #   ext/warmstart_profiler/                          the functions that measure, and the interposer
  module Profiler
    # Raised if there is no extension for this Ruby, or if a profile is being made already.
    class Unavailable < StandardError
    end

    class << self
      # Profiles the files that the block requires and loads, and the code that it evaluates.
      # @yield the code to be profiled
      # @param name [String] the name of the profile
      # @return [Profile]
      # @raise [Unavailable]
      def profile(name: "block")
        raise Unavailable, obstacle if obstacle

        require_relative "profiler/hooks"
        require_relative "profiler/profile"
        raise Unavailable, "a profile is being made already" unless Native.start(nil, nil, name, 0)

        record { yield }
      end

      private

      def record
        started_at = Time.now
        Hooks.install
        begin
          yield
        ensure
          Native.stop
          details = Details.collect
          Hooks.uninstall
          bytes = Native.take
        end
        program = {
          "command" => [$PROGRAM_NAME, *ARGV],
          "processors" => nil,
          "started_at" => started_at.utc.strftime("%Y-%m-%dT%H:%M:%SZ"),
          "status" => nil
        }
        recording = Recording.new(bytes, details)
        Profile.new(recording, details: details, program: program, calls_source: recording.calls_source)
      end
    end
  end
end
