# frozen_string_literal: true

require_relative "command"
require_relative "../profiler/compare"

module Warmstart
  module CLI
    # `warmstart profile --compare before.json after.json`: shows what changed between two profiles. With --fail-over
    # the exit status is 1 if the second one exceeds a limit. No extension is needed.
    # @api private
    class ProfileCompare < Command
      USAGE = "--compare [OPTIONS] BEFORE.json AFTER.json"
      ABOUT = <<~TEXT
        Shows what became slower or faster, what is new and what is gone between two profiles (warmstart profile --json FILE).
        Counts (files, objects, calls) are the same in each run; times are not.
      TEXT

      def name = "profile"

      private

      def define(parser)
        parser.on("--compare", "compare two profiles")
        parser.on(
          "--fail-over LIMITS",
          "exit with status 1 when more is used than before: 5% (of CPU time, files, objects, calls),",
          "or by name: files=0,calls=2%,objects=5%,cpu=10%,wall=50ms"
        ) { |text| @limits = [@limits, text].compact.join(",") }
        parser.on("--top N", Integer, "rows of each list (default: #{Profiler::Compare::Table::TOP})")
        parser.on("--min-ms MS", Float, "leave out smaller changes of time (default: 1)")
        parser.on("--json", "as JSON")
      end

      def execute(files)
        usage_error("give two profiles: BEFORE.json AFTER.json") unless files.size == 2
        usage_error("--top must be 1 or more") if @options[:top] && @options[:top] < 1
        budget = @options[:fail_over] && Profiler::Compare::Budget.new(@options[:fail_over])
        compare = Profiler::Compare.new(*files.map { |path| read(path) })
        excesses = budget ? compare.excesses(budget) : []
        present(compare, excesses)
        excesses.each { |excess| CLI.complain("over budget: #{excess}") }
        excesses.empty? ? 0 : 1
      rescue Profiler::Compare::Budget::Invalid => error
        usage_error("--fail-over: #{error.message}")
      end

      def read(path)
        Profiler::Report.read(path)
      rescue Profiler::Report::Invalid => error
        raise Error.new(
                "cannot compare #{path}: #{error.message}; make one by 'warmstart profile --json FILE -- COMMAND'",
                status: 2
              )
      end

      def present(compare, excesses)
        return print_json(compare.to_h(excesses)) if @options[:json]

        terminal = Profiler::Report::Terminal
        puts compare.table(
               width: terminal.width_of($stdout),
               colors: terminal::Style.wanted?($stdout),
               **@options.slice(:top, :min_ms)
             )
      end
    end
  end
end
