# frozen_string_literal: true

require "socket"

require_relative "../lib/warmstart/bench/measurement"

module Benchmarks
  # Runs a server until its first answer. Measures the wall time, and what the process has used by then (Linux: /proc;
  # in steps of 10 ms). Stopping it is not measured.
  class FirstAnswer
    PATIENCE = 120 # seconds
    TICKS = 100.0 # a second, in /proc (USER_HZ)

    # @param port [Integer] the port on which the server will listen
    # @param path [String] the path that is requested until the answer is 200
    def initialize(port, path)
      @port = port
      @path = path
    end

    def self.free_port = TCPServer.open("127.0.0.1", 0) { |server| server.addr[1] }

    # The same interface as Measurement.take.
    def call(command, env:, chdir:, output:)
      started = now
      pid = Process.spawn(env, *command, chdir: chdir, in: File::NULL, out: output, err: output)
      answered = wait_for_answer(pid, started + PATIENCE)
      wall = now - started
      user, system = answered ? times(pid) : [0, 0]
      measurement =
        Warmstart::Bench::Measurement.new(
          wall: wall,
          user: user,
          system: system,
          memory: answered && peak(pid),
          status: answered ? 0 : 1
        )
      stop(pid) unless answered.nil?
      measurement
    end

    private

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    # @return [Boolean, nil] nil: the process has ended
    def wait_for_answer(pid, deadline)
      while now < deadline
        return true if answer?
        return nil if Process.wait(pid, Process::WNOHANG)

        sleep 0.005
      end
      false
    end

    def answer?
      TCPSocket.open("127.0.0.1", @port) do |socket|
        socket.write("GET #{@path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        socket.read.start_with?("HTTP/1.1 200")
      end
    rescue Errno::ECONNREFUSED, Errno::ECONNRESET
      false
    end

    # Seconds of user and system time. (The program's name is in parentheses, and may contain blanks.)
    def times(pid) =
      File.read("/proc/#{pid}/stat").rpartition(")").last.split.values_at(11, 12).map { |ticks| ticks.to_i / TICKS }

    def peak(pid) = File.read("/proc/#{pid}/status")[/^VmHWM:\s+(\d+)/, 1].to_i * 1024

    def stop(pid)
      Process.kill(:TERM, pid)
      200.times { Process.wait(pid, Process::WNOHANG) ? return : sleep(0.05) }
      Process.kill(:KILL, pid)
      Process.wait(pid)
    end
  end
end
