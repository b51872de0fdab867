# frozen_string_literal: true

# What `warmstart profile` has RUBYOPT require, before anything of the program's: takes itself out of the environment,
# and, if this is the command's main process, begins the recording, which goes on until the process is gone. Ruby's core
# only.
started =
  Process.clock_gettime(File::ALT_SEPARATOR ? Process::CLOCK_MONOTONIC : Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)

require_relative "environment"

folder, process_started, interposer = Warmstart::Profiler::Environment.restore
if folder
  require_relative "claim"
  Warmstart::Profiler::Claim.new(folder, process_started, interposer).start(started)
end
