# frozen_string_literal: true

module Warmstart
  module Bench
    # One run of one command: how long it and its children took, and what they used. wait4(2) tells that exactly
    # (Native.wait_with_usage). Without the extension it is the difference in the times of all children, and the memory
    # is not known.
    #
    # wall, user, system: seconds; memory: bytes, the peak of its largest process, or nil; status: the exit status, or
    # nil if a signal (signal) ended it.
    # @api private
    Measurement =
      Struct.new(:wall, :user, :system, :memory, :status, :signal, keyword_init: true) do
        def self.take(command, env: {}, chdir: nil, output: File::NULL)
          options = { out: output, err: output == File::NULL ? output : %i[child out], in: File::NULL }
          options[:chdir] = chdir if chdir
          before = Process.times
          started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
          pid = Process.spawn(env, *command_words(command), **options)
          usage = wait(pid, before)
          new(wall: Process.clock_gettime(Process::CLOCK_MONOTONIC) - started, **usage)
        end

        # A command of one word is a program, too, never a line for the shell.
        def self.command_words(command)
          command.size == 1 ? [[command.first, command.first]] : command
        end

        def self.wait(pid, before)
          if defined?(Native) && Native.respond_to?(:wait_with_usage)
            status, signal, user, system, memory = Native.wait_with_usage(pid)
            return { status: status, signal: signal, user: user, system: system, memory: memory }
          end

          _, status = Process.wait2(pid)
          after = Process.times
          {
            status: status.exitstatus,
            signal: status.termsig,
            memory: nil,
            user: after.cutime - before.cutime,
            system: after.cstime - before.cstime
          }
        end
        private_class_method :wait, :command_words

        # @return [Float] user and system time together, seconds
        def cpu = user + system

        def success? = status == 0

        def status_text
          signal ? "signal #{Signal.signame(signal) || signal}" : "status #{status}"
        end
      end
  end
end
