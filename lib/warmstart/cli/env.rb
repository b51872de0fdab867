# frozen_string_literal: true

require_relative "command"
require_relative "../bench/table"

module Warmstart
  module CLI
    # `warmstart env`: prints the table of settings. `--markdown` prints that of docs/configuration.md.
    # @api private
    class Env < Command
      USAGE = "[OPTIONS]"
      ABOUT = "Shows every setting: its variable, its value here, and where that comes from.\n"

      class << self
        # The table of docs/configuration.md.
        def markdown
          rows =
            Configuration::OPTIONS.map do |option|
              ["`#{option.name}:`", "`#{option.variable}`", option.type, show(option.default), option.doc]
            end
          head = %w[keyword variable type default meaning]
          [head, head.map { "---" }, *rows].map { |row| "| #{row.join(" | ")} |" }.join("\n")
        end

        # @return [String] the value as one would write it into a variable
        def show(value)
          case value
          when nil
            "-"
          when true
            "1"
          when false
            "0"
          when Array
            value.join(",")
          when Integer
            bytes(value)
          else
            value.to_s
          end
        end

        private

        def bytes(value)
          unit, shift =
            [["G", 30], ["M", 20], ["K", 10]].find { |_, exponent| value.positive? && (value % (1 << exponent)).zero? }
          unit ? "#{value >> shift}#{unit}" : value.to_s
        end
      end

      private

      def define(parser)
        parser.on("--json", "as JSON") { @options[:json] = true }
        parser.on("--markdown", "as the table in docs/configuration.md") { @options[:markdown] = true }
      end

      def execute(rest)
        no_arguments(rest)
        configuration = Configuration.new
        configuration.complaints.each { |line| CLI.complain(line) }
        if @options[:markdown]
          puts Env.markdown
        elsif @options[:json]
          print_json(Configuration::OPTIONS.map { |option| facts(option, configuration) })
        else
          print_text(configuration)
        end
        0
      end

      def facts(option, configuration)
        {
          name: option.name,
          variable: option.variable,
          type: option.type,
          default: option.default,
          value: configuration.public_send(option.name),
          from: configuration.given.key?(option.name) ? "environment" : "default",
          doc: option.doc
        }
      end

      def print_text(configuration)
        Configuration::OPTIONS.each do |option|
          fact = facts(option, configuration)
          puts "#{option.variable}=#{Env.show(fact[:value])}  (#{fact[:from]}; " \
                 "#{option.type}#{", default #{Env.show(option.default)}" if fact[:from] != "default"})",
               "    #{option.doc}",
               "    in Ruby: Warmstart.setup(#{option.name}: ...)"
        end
      end
    end
  end
end
