# frozen_string_literal: true

module Warmstart
  module Bench
    # One run of one command: how long it and its children took, and what they used (Native.wait_with_usage).
    #
    # wall, user, system: seconds; memory: bytes, the peak of its largest process; status: the exit status, or nil if a
    # signal (signal) ended it.
    # @api private
    Measurement =
      Struct.new(:wall, :user, :system, :memory, :status, :signal, keyword_init: true) do
        def self.take(command, env: {}, chdir: nil, output: File::NULL)
          options = { out: output, err: output == File::NULL ? output : %i[child out], in: File::NULL }
          options[:chdir] = chdir if chdir
          # (A command of one word is a program, too, never a line for the shell.)
          words = command.size == 1 ? [[command.first, command.first]] : command
          started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
          pid = Process.spawn(env, *words, **options)
          status, signal, user, system, memory = Native.wait_with_usage(pid)
          wall = Process.clock_gettime(Process::CLOCK_MONOTONIC) - started
          new(wall: wall, user: user, system: system, memory: memory, status: status, signal: signal)
        end

        # @return [Float] user and system time together, seconds
        def cpu = user + system

        def success? = status == 0

        def status_text
          signal ? "signal #{Signal.signame(signal) || signal}" : "status #{status}"
        end
      end
  end
end
