# frozen_string_literal: true

require_relative "command"
require_relative "../bench/plot"
require_relative "../bench/runner"
require_relative "../bench/system_calls"
require_relative "../bench/table"
require_relative "../bench/variants"

module Warmstart
  module CLI
    # `warmstart bench`: measures what Warmstart gains on a command.
    # @api private
    class Bench < Command
      USAGE = "[OPTIONS] -- COMMAND"
      ABOUT = <<~TEXT
        Runs COMMAND with plain Ruby, with bootsnap (where the bundle has it) and with Warmstart, in turns, in random order, after
        runs that fill the caches (in temporary folders: the application's own stay as they are). CPU: user and system time of the
        command and its children.
      TEXT

      # The first run records and the second uses the image. The third records the files that were too young before.
      WARMUPS = 3

      Measured = ::Warmstart::Bench

      private

      def define(parser)
        parser.on("-n", "--runs N", Integer, "measured runs of each (default: 11)")
        parser.on("--seed N", Integer, "of the order of the runs")
        parser.on(
          "--[no-]system-calls",
          "count system calls with strace, in runs of their own (default: where there is a strace)"
        )
        parser.on("--json", "as JSON")
        parser.on("--svg FILE", "a picture of all runs")
        parser.on("--[no-]plot", "all runs as text below the table (default: on a terminal)")
        parser.on("-q", "--quiet", "no progress on stderr")
      end

      def parse(parser, arguments)
        rest = parse_command(parser, arguments)
        return rest if rest.any? || @options[:help]

        usage_error("no command given")
      end

      def execute(command)
        usage_error("--runs must be 1 or more") if @options[:runs] && @options[:runs] < 1
        check_svg
        need_extension
        variants = Measured::Variants.new(command)
        taking_part = warm_up(variants)
        runner = new_runner(taking_part)
        results = runner.run
        present(runner, results, taking_part)
        0
      rescue Measured::Runner::Failed => error
        raise CLI.cannot_start(command.first, error.cause) if error.cause.is_a?(SystemCallError)

        raise Error, "#{error.message}; every variant must end with status 0"
      ensure
        finish_progress
        variants&.close
      end

      # Checked before the command runs, which takes long.
      def check_svg
        File.open(@options[:svg], File::WRONLY | File::CREAT, 0o644, &:close) if @options[:svg]
      rescue SystemCallError => error
        raise Error, "cannot write #{@options[:svg]}: #{CLI.reason(error)}; name another file"
      end

      # Fills the caches. A variant that did not use its cache is left out.
      def warm_up(variants)
        runner = Measured::Runner.new(variants: variants.to_h)
        variants.to_h.select do |name, _|
          count = name == "plain" ? 1 : WARMUPS
          used = count.times.all? { runner.measure(name) && variants.used?(name) }
          CLI.complain("#{name} was not measured: #{absence(name)}") unless used
          used
        end
      end

      def absence(name)
        return "it is not in the bundle, or the command sets up no bundle" if name == "bootsnap"

        "the command recorded nothing (is it a Ruby program, with the Ruby that Warmstart is installed for?)"
      end

      def new_runner(variants)
        progress =
          @options[:quiet] || !$stderr.tty? ? nil : ->(done, all) { $stderr.print("\rrun #{done} of #{all}\e[K") }
        Measured::Runner.new(
          variants: variants,
          runs: @options[:runs] || 11,
          warmups: 0,
          seed: @options[:seed],
          progress: progress
        )
      end

      def finish_progress
        $stderr.print("\r\e[K") if $stderr.tty? && !@options[:quiet]
      end

      def present(runner, results, variants)
        calls =
          variants.transform_values do |variant|
            @options[:system_calls] == false ? nil : Measured::SystemCalls.count(variant)
          end
        base = results.fetch("plain")
        panels = Measured::Plot.panels(results.transform_values(&:to_h))
        command = variants.fetch("plain").fetch(:command).join(" ")
        File.write(@options[:svg], Measured::Plot.svg(panels, title: command)) if @options[:svg]
        if @options[:json]
          print_json(
            command: variants.fetch("plain").fetch(:command),
            ruby: RUBY_DESCRIPTION,
            seed: runner.seed,
            variants:
              results.values.map do |result|
                result.to_h.merge(
                  cpu_ratio: result.ratio(:cpu, base),
                  wall_ratio: result.ratio(:wall, base),
                  system_calls: calls[result.name]
                )
              end
          )
        else
          puts table(results, base, calls), "#{base.values(:wall).size} runs each, medians; #{RUBY_DESCRIPTION}"
          puts "", Measured::Plot.text(panels, width: plot_width) if @options.fetch(:plot, $stdout.tty?)
        end
      end

      def plot_width
        return 80 unless $stdout.tty?

        require "io/console"
        $stdout.winsize.last.clamp(40, 120)
      end

      def table(results, base, calls)
        head = ["", "CPU", "minimum", "ratio", "wall", "minimum", "ratio", "memory", "system calls"]
        Measured::Table.new(
          head,
          results.values.map do |result|
            [
              result.name,
              *%i[cpu wall].flat_map do |field|
                [
                  Units.seconds(result.median(field)),
                  Units.seconds(result.minimum(field)),
                  Units.ratio(result.ratio(field, base))
                ]
              end,
              Units.bytes(result.median(:memory)&.round),
              Units.count(calls[result.name])
            ]
          end
        )
      end
    end
  end
end
