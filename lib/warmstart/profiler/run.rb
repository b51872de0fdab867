# frozen_string_literal: true

require "etc"
require "fileutils"
require "tmpdir"

require_relative "environment"
require_relative "exact"
require_relative "native"
require_relative "profile"

module Warmstart
  module Profiler
    # One run of a command under the profiler. The command uses this process's input, output and terminal, and signals
    # are passed on to it. Its status is a shell's.
    # @api private
    class Run
      # Raised if the command cannot be run, or left nothing to report. status: the exit status of `warmstart profile`.
      class Failed < StandardError
        attr_reader :status

        def initialize(message, status)
          super(message)
          @status = status
        end
      end

      # The terminal sends the first signals to the command as well, so this process only survives them. The second ones
      # reach this process alone, so it passes them on. (Windows has few of them.)
      FROM_TERMINAL = (%w[INT QUIT] & Signal.list.keys).freeze
      PASSED_ON = (%w[TERM HUP USR1 USR2] & Signal.list.keys).freeze

      # status: as a shell's $?; signal: its name, or nil.
      attr_reader :status, :signal

      # @param command [Array<String>]
      # @param calls [Boolean, :exact] whether to count file system calls; :exact: by strace
      def initialize(command, calls: true)
        @command = command
        @calls = calls
      end

      # @return [Profile]
      # @raise [Failed] the command cannot be run, or left nothing to report
      def call
        problem = @calls == :exact ? Exact.problem : nil
        raise Failed.new("cannot count exactly: #{problem}", 2) if problem

        # (The realpath, so that calls for the files in this folder can be told from the program's.)
        @folder = File.realpath(Dir.mktmpdir("warmstart-profile-"))
        @exact = Exact.new(@folder) if @calls == :exact
        run
        profile
      ensure
        FileUtils.rm_rf(@folder) if @folder
      end

      private

      def run
        @started_at = Time.now
        @directory = Dir.pwd
        previous = trap_signals
        command = [*@exact&.prefix, *@command]
        @pid =
          Process.spawn(
            Environment.to_profile(@folder, interposer: interposer),
            [command.first, command.first],
            *command.drop(1)
          )
        _, status = Process.wait2(@pid)
        @signal = status.signaled? ? Signal.signame(status.termsig) : nil
        @status = status.exitstatus || 128 + status.termsig
      rescue Errno::ENOENT
        raise Failed.new("unknown command #{@command.first}; check its name and PATH", 127)
      rescue SystemCallError => error
        raise Failed.new("cannot run #{@command.first}: #{error.message}; check its mode", 126)
      ensure
        previous&.each { |name, handler| Signal.trap(name, handler || "DEFAULT") }
      end

      def interposer
        return unless @calls == true

        Environment::WINDOWS ? Environment::IMPORTS : Profiler.library("interposer")
      end

      # (These are blocks, because the command would inherit a signal that is ignored.)
      def trap_signals
        handlers = FROM_TERMINAL.to_h { |name| [name, Signal.trap(name) { nil }] }
        PASSED_ON.each { |name| handlers[name] = Signal.trap(name) { pass_on(name) } }
        handlers
      end

      def pass_on(name)
        Process.kill(name, @pid) if @pid
      rescue Errno::ESRCH
        nil
      end

      def profile
        number = read("claim")&.split&.at(1)
        problem, nodes = read("problem.#{number}"), read("nodes.#{number}", mode: "rb")
        problem ||= "#{@command.first} recorded nothing (is it a Ruby program, and does it heed RUBYOPT?)" unless nodes
        problem = "cannot write the recording (is the disk full?); TMPDIR names another folder" if problem == ""
        raise Failed.new(problem, failure) if problem

        details = read("details.#{number}", mode: "rb")&.then { |bytes| Marshal.load(bytes) } || {}
        recording = Recording.new(nodes, details)
        @exact&.count_into(recording)
        source = @exact ? "ptrace" : recording.calls_source
        Profile.new(recording, details: defaults.merge(details), program: program, calls_source: source)
      rescue Recording::Damaged => error
        raise Failed.new("the recording cannot be read: #{error.message}", failure)
      end

      # @return [String, nil] the contents of a file of the recording; nil: there is no such file
      def read(name, **mode)
        path = File.join(@folder, name)
        File.read(path, **mode) if File.file?(path)
      end

      # The exit status when there is nothing to report.
      def failure = @status.zero? ? 1 : @status

      # For a process that was killed and could not tell.
      def defaults
        { "ruby" => RUBY_DESCRIPTION, "ruby_version" => RUBY_VERSION, "platform" => RUBY_PLATFORM }
      end

      def program
        {
          "command" => @command,
          "directory" => @directory,
          "processors" => Etc.nprocessors,
          "started_at" => @started_at.utc.strftime("%Y-%m-%dT%H:%M:%SZ"),
          "status" => @status
        }
      end
    end
  end
end
