# frozen_string_literal: true

require_relative "command"
require_relative "../profiler/run"

module Warmstart
  module CLI
    # `warmstart profile`: runs a command under the boot profiler, and then reports on it.
    # @api private
    class Profile < Command
      USAGE = "[OPTIONS] -- COMMAND\n       warmstart profile --compare [OPTIONS] BEFORE.json AFTER.json"
      ABOUT = <<~TEXT
        Runs COMMAND, any Ruby program, unmodified, and shows where its time goes: a tree of what it requires and loads, with
        CPU time, garbage collection, allocations and file system calls. The command's own output and status stay what they are;
        the report goes to stderr, or into the files that are named here (-: stdout).
      TEXT

      # The formats of files.
      FILES = {
        json: "the profile as JSON (docs/profiling.md); without FILE to stdout",
        html: "a page to look around in",
        firefox: "for profiler.firefox.com",
        speedscope: "for speedscope.app"
      }.freeze

      # @return [Integer] the exit status of the command
      def run(arguments)
        own = arguments.take_while { |argument| argument != "--" }
        return super unless own.include?("--compare")

        require_relative "profile_compare"
        ProfileCompare.new.run(arguments)
      end

      private

      def define(parser)
        @files, @view = {}, {}
        FILES.each do |name, summary|
          parser.on("--#{name} #{name == :json ? "[FILE]" : "FILE"}", summary) { |path| @files[name] = path || "-" }
        end
        parser.on("--top N", Integer, "so many nodes in the tree") { |number| @view[:top] = number }
        parser.on("--min-ms MS", Float, "only what takes so many milliseconds") { |number| @view[:min_ms] = number }
        parser.on("--sort KEY", "order: wall, self, cpu, gc, objects, bytes, memory, calls, failed, files") do |key|
          @view[:sort] = key
        end
        parser.on("--grep PATTERN", "only what this regular expression matches") do |text|
          @view[:grep] = regular("--grep", text)
        end
        parser.on("--exact", "count every file system call by strace: slow, so the times mean nothing") do
          @exact = true
        end
        parser.on("--no-calls", "do not count file system calls") { @calls = false }
      end

      # Checked before the command runs, which may take long.
      def check_view
        usage_error("--top must be 1 or more") if @view[:top] && @view[:top] < 1
        return unless @view[:sort]

        require_relative "../profiler/report"
        sorts = Profiler::Report::Terminal::SORTS
        usage_error("--sort takes one of #{sorts.join(", ")}") unless sorts.include?(@view[:sort])
      end

      # The first word that is not an option begins the command.
      def parse(parser, arguments)
        marker = arguments.include?("--")
        rest = parse_command(parser, stdout_by_name(arguments))
        usage_error("no command given") if rest.empty? && !@options[:help]
        usage_error("--json may name a file: give the command after --") if @files.fetch(:json, "-") != "-" && !marker
        rest
      end

      # (OptionParser takes "-" for a missing argument if the argument is optional.)
      def stdout_by_name(arguments)
        name = arguments.each_cons(2).find_index(%w[--json -]) or return arguments

        marker = arguments.index("--")
        marker && marker < name ? arguments : [*arguments.take(name), "--json=-", *arguments.drop(name + 2)]
      end

      def execute(command)
        check_view
        check_files
        run = Profiler::Run.new(command, calls: @exact ? :exact : @calls != false)
        profile = run.call
        if run.signal
          CLI.complain("#{command.first} was killed by SIG#{run.signal}; the profile ends with its last known moment")
        end
        profile.remarks.each { |line| CLI.complain(line) }
        present(profile.to_h)
        run.status
      rescue Profiler::Run::Failed => error
        raise Error.new(error.message, status: error.status)
      end

      # Checked before the command runs, which may take long.
      def check_files
        @files.each_value do |path|
          File.open(path, File::WRONLY | File::CREAT, 0o644, &:close) unless path == "-"
        rescue SystemCallError => error
          raise Error.new("cannot write #{path}: #{CLI.reason(error)}; name another file", status: 2)
        end
      end

      # (a script that asks for JSON has the command's own stderr)
      def present(profile)
        @files.each do |name, path|
          write(path, render(profile, name))
          warn "warmstart: wrote #{path}" unless name == :json || path == "-"
        end
        report(profile).print($stderr, **@view) if @files.empty?
      rescue ArgumentError => error
        usage_error(error.message)
      end

      def report(profile)
        require_relative "../profiler/report"
        Profiler::Report.new(profile)
      end

      def write(path, text)
        path == "-" ? $stdout.puts(text) : File.write(path, text)
      rescue SystemCallError => error
        raise if path == "-"

        raise Error.new("cannot write #{path}: #{CLI.reason(error)}; is the disk full?", status: 1)
      end

      def render(profile, name)
        require "json"
        return JSON.generate(profile) if name == :json

        output = report(profile).public_send(name)
        output.is_a?(String) ? output : JSON.generate(output)
      end
    end
  end
end
