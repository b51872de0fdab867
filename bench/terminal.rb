# frozen_string_literal: true

require "io/console"
require "io/wait"
require "pty"
require "shellwords"

module Benchmarks
  # A shell in a terminal, as its user has it: all commands that are typed belong to one session, and a console finds a
  # terminal that answers. Measures until something is seen on it.
  class Terminal
    PATIENCE = 120 # seconds
    READY = /the command has ended/
    SIZE = [40, 120].freeze

    # What a line editor sends to hear where the cursor is, and the answer.
    WHERE = "\e[6n"
    HERE = "\e[1;1R"

    # Opens a terminal for the block.
    def self.open(folder)
      terminal = new(folder)
      yield terminal
    ensure
      terminal&.close
    end

    # @param folder [String] where the commands run
    def initialize(folder)
      @output, @input, @pid = PTY.spawn({ "PS1" => "", "TERM" => "xterm" }, "sh", "-i")
      @output.winsize = SIZE
      @seen = +""
      run("stty -echo; cd #{folder.shellescape}")
      wait_for(READY)
    end

    # Types a command, waits until the mark is seen, types what ends the command and waits for its end.
    #
    # @param environment [Hash{String => String, nil}]
    # @param command [Array<String>]
    # @param mark [Regexp] what is waited for
    # @param farewell [String, nil] a line that ends the command; nil: it ends by itself
    # @return [Array(Float, Float)] wall seconds until the mark, and CPU seconds of the whole command
    def measure(environment, command, mark, farewell)
      before, began = ticks, now
      run(["env", *words(environment), *command].shelljoin)
      wait_for(mark)
      wall = now - began
      @input.puts(farewell) if farewell
      wait_for(READY)
      [wall, (ticks - before) / TICKS]
    end

    def close
      @input.close
      @output.close
      Process.wait(@pid)
    end

    private

    def words(environment)
      unset, set = environment.partition { |_, value| value.nil? }
      [*unset.flat_map { |name, _| ["-u", name] }, *set.map { |name, value| "#{name}=#{value}" }]
    end

    # (The line that the mark looks for is in two pieces, because the terminal may repeat what is typed.)
    def run(line) = @input.puts("#{line}; echo the command 'has ended'")

    # Reads until the mark has been seen; what comes after it is left for the next call.
    def wait_for(mark)
      deadline = now + PATIENCE
      until @seen.match?(mark)
        @output.wait_readable([deadline - now, 0].max) or
          raise Unavailable, "#{mark.inspect} was not seen, but #{(@seen[-200..] || @seen).inspect}"
        @seen << @output.readpartial(4096)
        @input.write(HERE) if @seen.slice!(WHERE)
      end
      @seen = @seen.partition(mark).last
    end

    # CPU time of the commands that have ended.
    def ticks = File.read("/proc/#{@pid}/stat")[/\) (.*)/, 1].split.values_at(13, 14).sum(&:to_i)

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
