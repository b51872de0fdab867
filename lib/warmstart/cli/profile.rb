# frozen_string_literal: true

require_relative "command"
require_relative "../profiler/run"

module Warmstart
  module CLI
    # `warmstart profile`: runs a command under the boot profiler, and reports on it when it has ended.
    class Profile < Command
      USAGE = "[OPTIONS] -- COMMAND"
      ABOUT = <<~TEXT
        Runs COMMAND, any Ruby program, unmodified, and shows where its time goes: a tree of what it requires and loads, with
        CPU time, garbage collection, allocations and file system calls. The command's own output and status stay what they are;
        the report goes to stderr, or into the files that are named here (-: stdout).
      TEXT

      # Option => the Report's method, and what is said about it.
      FILES = {
        json: "the profile as JSON (docs/profile_format.md)", html: "a page to look around in",
        firefox: "for profiler.firefox.com", speedscope: "for speedscope.app"
      }.freeze

      private

      def define(parser)
        FILES.each { |name, summary| parser.on("--#{name} FILE", summary) { |path| (@options[:files] ||= {})[name] = path } }
        define_terminal(parser)
        parser.on("--exact", "count every system call, by strace (slow)") { @options[:exact] = true }
        parser.on("--no-calls", "do not count file system calls") { @options[:calls] = false }
        # --compare and --fail-over come here.
      end

      def define_terminal(parser)
        parser.on("--top N", Integer, "at most so many lines of the tree") { |number| @options[:top] = number }
        parser.on("--min-ms MS", Float, "only what takes so many milliseconds") { |number| @options[:min_ms] = number }
        parser.on("--sort KEY", "order of the tree's branches") { |key| @options[:sort] = key }
        parser.on("--grep PATTERN", "only what this regular expression matches, and what leads there") { |pattern| @options[:grep] = pattern }
      end

      # The first word that is no option begins the command.
      def parse(parser, arguments)
        rest = parser.order!(arguments)
        usage_error("no command is given") if rest.empty? && !@options[:help]
        rest
      end

      def execute(command)
        check_files
        run = Profiler::Run.new(command, calls: @options.fetch(:calls, true))
        profile = run.call
        CLI.complain("#{command.first} was killed by SIG#{run.signal}; the profile ends with its last known moment") if run.signal
        profile.remarks.each { |line| CLI.complain(line) }
        present(profile.to_h)
        run.status
      rescue Profiler::Run::Failed => error
        raise Error.new(error.message, status: error.status)
      end

      # Before the command runs: it may take long.
      def check_files
        @options.fetch(:files, {}).each_value do |path|
          next if path == "-"

          File.open(path, File::WRONLY | File::CREAT, 0o644, &:close)
        rescue SystemCallError => error
          raise Error.new("cannot write #{path}: #{error.message}; name another file", status: 2)
        end
      end

      def present(profile)
        files = @options.fetch(:files, {})
        files.each { |name, path| write(profile, name, path) }
        report(profile).terminal($stderr, @options) if files.empty?
      end

      def report(profile)
        require_relative "../profiler/report"
        Profiler::Report.new(profile)
      end

      def write(profile, name, path)
        text = render(profile, name)
        path == "-" ? $stdout.puts(text) : File.write(path, text)
      rescue SystemCallError => error
        raise Error.new("cannot write #{path}: #{error.message}; is the disk full?", status: 1)
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
