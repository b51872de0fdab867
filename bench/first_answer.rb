# frozen_string_literal: true

require "fileutils"
require "io/wait"
require "socket"

require_relative "../examples/applications"
require_relative "../lib/warmstart/bench/measurement"

module Benchmarks
  # Runs a Rails application's server until its first answer. Measures the wall time, and what the process has used by
  # then (Linux: /proc; in steps of 10 ms). Stopping it is not measured. The server is handed a socket that listens
  # already, so nobody else can take its port, and the request waits until the server has booted.
  class FirstAnswer
    PATIENCE = 120 # seconds

    # @param app [Examples::RailsApplication]
    # @param path [String] the path that is requested
    def initialize(app, path)
      @app = app
      @path = path
    end

    # The same interface as Measurement.take.
    # @param _command [Array<String>] not used, because each run has a port of its own
    def call(_command, env:, chdir:, output:)
      socket = TCPServer.open("127.0.0.1", 0)
      port = socket.addr[1]
      command = @app.server_command(port: port)
      FileUtils.rm_f(command.last) # (a file with the process's number, which an earlier server of this port may have left)
      started = now
      pid =
        Process.spawn(
          env,
          *@app.class::ACTIVATED,
          *command,
          3 => socket,
          :chdir => chdir,
          :in => File::NULL,
          :out => output,
          :err => output
        )
      socket.close
      answered = answer?(port)
      wall = now - started
      user, system = answered ? times(pid) : [0, 0]
      memory = answered && memory(pid)
      Warmstart::Bench::Measurement.new(
        wall: wall,
        user: user,
        system: system,
        memory: memory,
        status: answered ? 0 : 1
      )
    ensure
      stop(pid) if pid
    end

    private

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    # (A server that ends closes the socket.)
    def answer?(port)
      TCPSocket.open("127.0.0.1", port) do |socket|
        socket.write("GET #{@path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        socket.wait_readable(PATIENCE) && socket.read.start_with?("HTTP/1.1 200")
      end
    rescue Errno::ECONNREFUSED, Errno::ECONNRESET
      false
    end

    # Seconds of user and system time. (The program's name is in parentheses, and may contain blanks.)
    def times(pid) =
      File.read("/proc/#{pid}/stat").rpartition(")").last.split.values_at(11, 12).map { |ticks| ticks.to_i / TICKS }

    # Bytes.
    def memory(pid) = File.read("/proc/#{pid}/status")[/^VmHWM:\s+(\d+)/, 1].to_i * 1024

    def stop(pid)
      Process.kill(:TERM, pid)
      200.times { Process.wait(pid, Process::WNOHANG) ? return : sleep(0.05) }
      Process.kill(:KILL, pid)
      Process.wait(pid)
    end
  end
end
