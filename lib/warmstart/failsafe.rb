# frozen_string_literal: true

return if defined?(Warmstart::Failsafe.all) # (another copy has defined it: see warmstart/native)

module Warmstart
  # (Its other methods, and what it is for, are in warmstart/native.)
  # @api private
  module Failsafe
    class << self
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

      # Prints a line where there is no extension that would.
      def tell(text) = $stderr.puts(one_line("warmstart: #{text}"))

      private

      def report(what, error)
        line = "set WARMSTART=0 if this comes again: #{what} failed (#{describe(error)}); plain Ruby goes on"
        Warmstart.const_defined?(:Native, false) ? Native.complain(line) : tell(line)
        nil
      end

      # One line: the error's class, its message, and the line of Warmstart's code that failed.
      def describe(error)
        place = error.backtrace_locations&.find { |location| location.absolute_path&.start_with?(__dir__) }
        "#{error.class}: " \
          "#{error.message.to_s.lines.first.to_s.chomp}#{" at #{File.basename(place.path)}:#{place.lineno}" if place}"
      end
    end
  end
end
