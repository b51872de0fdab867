# frozen_string_literal: true

if defined?(Warmstart::FOLDER) && Warmstart::FOLDER != __dir__
  require File.join(Warmstart::FOLDER, "cli") # (another copy of Warmstart came first: see warmstart/native)
  return
end

require_relative "failsafe"
require_relative "version"

module Warmstart
  # `warmstart COMMAND ...`: loads the file of that command only (`exec` must cost nothing), and turns failures into one
  # line on stderr and an exit status. Results go to stdout, everything else to stderr.
  # @api private
  module CLI
    # Stops a command. `status` is the exit status of the process.
    class Error < StandardError
      attr_reader :status

      def initialize(message, status: 1)
        super(message)
        @status = status
      end
    end

    # The arguments make no sense: exit status 2. The message recommends the --help of `command`.
    class UsageError < Error
      def initialize(message, command = nil)
        super("#{message}; try 'warmstart #{"#{command} " if command}--help'", status: 2)
      end
    end

    # name => [class, what the command does]. The file is cli/<name>.rb. A new one has a section in docs/command_line.md, too.
    COMMANDS = {
      "build" => [:Build, "make the boot image: by running a command, or by compiling everything"],
      "exec" => [:Exec, "run any Ruby program with Warmstart"],
      "binstub" => [:Binstub, "write a file that runs a program with Warmstart, at once"],
      "init" => [:Init, "add Warmstart to the application in this folder"],
      "status" => [:Status, "what the image holds, and how well it served"],
      "why" => [:Why, "why a file or feature comes from the image, or does not"],
      "verify" => [:Verify, "check every checksum of the image"],
      "adopt" => [:Adopt, "take over an image that was made elsewhere"],
      "key" => [:Key, "print a key for the cache of a CI system, or make a key that signs images"],
      "push" => [:Push, "put the image into a store, for other machines"],
      "pull" => [:Pull, "get the image from a store"],
      "prune" => [:Prune, "remove old images from a store"],
      "clear" => [:Clear, "remove the image"],
      "bench" => [:Bench, "compare plain Ruby, bootsnap and Warmstart on a command"],
      "profile" => [:Profile, "show where a start goes: a tree of requires with time, memory and file system calls"],
      "standby" => [:Standby, "tell about processes that have booted and wait for commands, or end them"],
      "env" => [:Env, "all settings, their values and where these come from"]
    }.freeze

    class << self
      # @param arguments [Array<String>]
      # @return [Integer] exit status
      def run(arguments)
        # (In the place of a closed stdout Ruby puts a pipe that nobody reads: fill_standard_fds in ruby.c.)
        closed = $stdout.stat.pipe? && IO.select([$stdout], nil, nil, 0)
        # An error that Ruby meets when it flushes at exit would not be reported.
        dispatch(*arguments).tap { $stdout.flush }
      rescue Error => error
        complain(error.message)
        error.status
      rescue Interrupt
        complain("interrupted")
        130
      rescue SystemCallError => error
        raise unless error.message.end_with?("<STDOUT>")

        # Whoever reads a pipe may have seen enough (`| head`).
        complain("cannot write the output: #{unwritten(error, closed)}") if closed || !error.is_a?(Errno::EPIPE)
        1
      rescue NoMemoryError => error
        complain(error.message)
        1
      end

      # Why a program could not be started, with the exit status that a shell has then.
      # @return [Error]
      def cannot_start(name, error)
        case error
        when Errno::ENOENT
          Error.new("unknown command #{name}; check its name and PATH", status: 127)
        when Errno::EACCES, Errno::ENOEXEC, Errno::EISDIR
          Error.new("#{name} cannot be executed; check its mode", status: 126)
        else
          Error.new("cannot run #{name}: #{error.message}", status: 126)
        end
      end

      # @param error [SystemCallError]
      # @return [String] what the system says, without Ruby's function and the path
      def reason(error) = error.class.new.message

      # Prints one line on stderr. Where that is closed or its disk is full, nobody reads it, and what the command does
      # does not fail for it.
      def complain(message)
        $stderr.puts("warmstart: #{Failsafe.one_line(message)}")
      rescue IOError, SystemCallError
        nil
      end

      private

      def dispatch(name = nil, *rest)
        case name
        when nil, "help", "-h", "--help"
          help(rest.first)
        when "-v", "--version", "version"
          puts("warmstart #{VERSION}") || 0
        else
          command(name).new.run(rest)
        end
      end

      def unwritten(error, closed)
        return "stdout is closed" if closed

        full = [Errno::ENOSPC, Errno::EIO, Errno::EFBIG, Errno::EDQUOT].include?(error.class)
        "#{reason(error)}#{"; is the disk full?" if full}"
      end

      def command(name)
        constant, = COMMANDS[name]
        raise UsageError, "unknown command #{name.inspect}" unless constant

        require_relative "cli/#{name}"
        const_get(constant)
      end

      def help(name)
        return command(name).new.run(["--help"]) if name

        width = COMMANDS.keys.map(&:size).max
        puts "Usage: warmstart COMMAND [OPTIONS]", "", "Ruby programs start fast from one boot image.", ""
        COMMANDS.each { |command, (_, summary)| puts "  #{command.ljust(width)}  #{summary}" }
        puts "", "See 'warmstart COMMAND --help' for a command's options, and docs/command_line.md for all commands."
        0
      end
    end
  end
end
