# frozen_string_literal: true

# `warmstart profile` has RUBYOPT require this file before anything of the program. It removes the profiler from the
# environment. If this is the command's main process, it begins the recording, which goes on until the process ends. It
# uses only Ruby's core.
started =
  Process.clock_gettime(File::ALT_SEPARATOR ? Process::CLOCK_MONOTONIC : Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)

require_relative "environment"

folder, process_started, interposer = Warmstart::Profiler::Environment.restore
if folder
  require_relative "claim"
  Warmstart::Profiler::Claim.new(folder, process_started, interposer).start(started)
end
