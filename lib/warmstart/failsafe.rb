# frozen_string_literal: true

return if defined?(Warmstart::Failsafe) # (another copy's: warmstart/native)

module Warmstart
  # Runs what Warmstart does in the midst of somebody's program: at setup, at the moments that it waits for, and at the
  # end. Whatever fails in there is undone and said in one line, and plain Ruby goes on.
  #
  # What comes from elsewhere is the program's, and passes: Interrupt, SystemExit, a signal's exception, a thread's end.
  # So does what another thread raises in this one (Timeout does), which may be of any class: it waits until our part is
  # over.
  module Failsafe
    # The classes after `rescue` are all that our own code can raise, whatever this Ruby lacks and whatever the program
    # has made of Ruby's methods. (They are written out each time: Prism in Ruby 3.3, an experiment there, does not
    # compile `rescue *LIST` right.)
    LATER = { Object => :never }.freeze

    class << self
      # @param what [String] the line's subject: "setup"
      # @param undo [#call, nil] called after a failure
      # @return [Object, nil] the block's value, or nil
      def run(what, undo = nil, &block) = guard(->(error) { give_up(what, error, undo) }, &block)

      # The same without a line.
      # @param failed [#call] is given the error, and answers for the block
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
        raise if over # (it has waited)

        failed.call(error)
      end

      # Each of these, whatever becomes of the others.
      def all(steps)
        steps.each do |step|
          step.call
        rescue StandardError, ScriptError, NoMemoryError, SystemStackError
          nil
        end
      end

      # What cannot be two lines, nor talk to a terminal, whatever paths it holds. (As Native.complain does it, where
      # that is not there.)
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
        line = "#{what} failed (#{describe(error)}); Ruby goes on as usual; WARMSTART=0 turns Warmstart off"
        Warmstart.const_defined?(:Native, false) ? Native.complain(line) : $stderr.puts("warmstart: #{one_line(line)}")
        nil
      rescue StandardError, ScriptError, NoMemoryError, SystemStackError
        nil
      end

      # One line: class, message, and our own line that failed.
      def describe(error)
        place = error.backtrace_locations&.find { |location| location.absolute_path&.start_with?(__dir__) }
        "#{error.class}: #{error.message.to_s.lines.first.to_s.chomp}#{" at #{File.basename(place.path)}:#{place.lineno}" if place}"
      end
    end
  end
end
