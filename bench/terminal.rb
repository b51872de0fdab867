# frozen_string_literal: true

require_relative "../test/support/terminal"

module Benchmarks
  # Measures commands in a terminal until something is seen on it.
  class Terminal < ::Terminal
    # Types a command, waits until the mark is seen, types what ends the command and waits for its end.
    #
    # @param environment [Hash{String => String, nil}]
    # @param command [Array<String>]
    # @param mark [Regexp] what is waited for
    # @param farewell [String, nil] a line that ends the command; nil: it ends by itself
    # @return [Array(Float, Float)] wall seconds until the mark, and CPU seconds of the whole command
    def measure(environment, command, mark, farewell)
      before, began = ticks, now
      type(["env", *words(environment), *command].shelljoin)
      wait_for(mark)
      wall = now - began
      @input.puts(farewell) if farewell
      wait_for(READY)
      [wall, (ticks - before) / TICKS]
    rescue Silent => error
      raise Unavailable, error.message
    end

    private

    def words(environment)
      unset, set = environment.partition { |_, value| value.nil? }
      [*unset.flat_map { |name, _| ["-u", name] }, *set.map { |name, value| "#{name}=#{value}" }]
    end

    # CPU time of the commands that have ended.
    def ticks = File.read("/proc/#{@pid}/stat")[/\) (.*)/, 1].split.values_at(13, 14).sum(&:to_i)
  end
end
