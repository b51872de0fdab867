# frozen_string_literal: true

return if defined?(Warmstart::Failsafe) # (another copy has defined it: see warmstart/native)

module Warmstart
  # Runs Warmstart's own code within somebody's program: at setup, at the moments that it waits for, and at the end. If
  # that code fails, Failsafe undoes what it did and reports it in one line, and plain Ruby goes on.
  #
  # Exceptions that come from elsewhere belong to the program and pass: Interrupt, SystemExit, a signal's exception, the
  # end of a thread. An exception that another thread raises in this one (as Timeout does) may be of any class, so it is
  # deferred until Warmstart's code is over.
  # @api private
  module Failsafe
    # The classes after `rescue` below are all that our own code can raise, whatever this Ruby lacks and whatever
    # methods of Ruby's the program has changed. (They are written out each time, because Prism in Ruby 3.3, where it is
    # an experiment, compiles `rescue *LIST` incorrectly.)
    LATER = { Object => :never }.freeze

    class << self
      # @param what [String] the subject of the line, as "setup"
      # @param undo [#call, nil] called after a failure
      # @return [Object, nil] the block's value, or nil
      def run(what, undo = nil, &block) = guard(->(error) { give_up(what, error, undo) }, &block)

      # As `run`, but prints nothing.
      # @param failed [#call] receives the error; its value becomes the block's
      def guard(failed)
        over = false
        Thread.handle_interrupt(LATER) do
          yield
        rescue StandardError, ScriptError, NoMemoryError, SystemStackError => error
          failed.call(error)
        ensure
          over = true
        end
      rescue StandardError, ScriptError, NoMemoryError, SystemStackError => error
        raise if over # (it comes from another thread, and was deferred until now)

        failed.call(error)
      end

      # Runs all steps, even if some fail.
      def all(steps)
        steps.each do |step|
          step.call
        rescue StandardError, ScriptError, NoMemoryError, SystemStackError
          nil
        end
      end

      # Escapes control characters, so that a text is one line and does nothing to a terminal, whatever paths it holds.
      # (Native.complain does the same; this is for when there is no extension.)
      # @param text [String]
      # @return [String]
      def one_line(text)
        text
          .b
          .gsub(/[\x00-\x1f\x7f]/n) { |byte| byte == "\n" ? "\\n" : format("\\x%02X", byte.ord) }
          .force_encoding(text.encoding)
      end

      private

      def give_up(what, error, undo)
        undo&.call
        line = "#{what} failed (#{describe(error)}); continuing with plain Ruby (WARMSTART=0 turns Warmstart off)"
        Warmstart.const_defined?(:Native, false) ? Native.complain(line) : $stderr.puts("warmstart: #{one_line(line)}")
        nil
      rescue StandardError, ScriptError, NoMemoryError, SystemStackError
        nil
      end

      # One line: the error's class, its message, and the line of Warmstart's code that failed.
      def describe(error)
        place = error.backtrace_locations&.find { |location| location.absolute_path&.start_with?(__dir__) }
        "#{error.class}: #{error.message.to_s.lines.first.to_s.chomp}#{" at #{File.basename(place.path)}:#{place.lineno}" if place}"
      end
    end
  end
end
