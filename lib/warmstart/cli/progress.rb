# frozen_string_literal: true

module Warmstart
  module CLI
    # Shows progress on stderr: a bar with an estimate on a terminal, else a line every few seconds.
    # @api private
    class Progress
      WIDTH = 24
      LINE_SECONDS = 5
      BAR_SECONDS = 0.1

      # @param files [Integer] the number of all files
      # @param bytes [Integer] the number of all bytes, on which the estimate is based
      def initialize(title, files:, bytes:, output: $stderr, quiet: false)
        @title = title
        @files = files
        @bytes = [bytes, 1].max
        @output = output
        @quiet = quiet
        @done_files = @done_bytes = 0
        @started = @shown = now
        @terminal = output.tty?
      end

      def add(files, bytes)
        @done_files += files
        @done_bytes += bytes
        show if !@quiet && now - @shown >= (@terminal ? BAR_SECONDS : LINE_SECONDS)
      end

      # Removes the bar from the terminal.
      def finish
        @output.print("\r\e[K") if @terminal && !@quiet
      end

      private

      def show
        @shown = now
        return @output.puts("warmstart: #{@title}: #{numbers}, #{left}") unless @terminal

        filled = (WIDTH * share).round
        @output.print("\r#{@title} [#{"#" * filled}#{" " * (WIDTH - filled)}] #{numbers}, #{left}\e[K")
      end

      def share = [@done_bytes.fdiv(@bytes), 1.0].min

      def numbers = "#{@done_files} of #{@files} files"

      def left
        return "..." if share.zero?

        seconds = ((now - @started) * (1 - share) / share).ceil
        seconds < 60 ? "about #{seconds} s left" : "about #{(seconds / 60.0).ceil} min left"
      end

      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
