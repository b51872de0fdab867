# frozen_string_literal: true

require_relative "command"

module Warmstart
  module CLI
    # `warmstart env`: prints the table of settings. `--markdown` prints that of docs/configuration.md.
    # @api private
    class Env < Command
      USAGE = "[OPTIONS]"
      ABOUT = "Shows every setting: its variable, its value here, and where that comes from.\n"

      MEANINGS = {
        enabled: "0 turns Warmstart off: plain Ruby, nothing installed",
        cache_dir:
          "folder that holds a folder of images for each application; default: tmp/cache of the application that " \
            "asks, else the user's cache folder",
        image_dir: "the very folder of the image, whatever the application; `warmstart build` sets it while it trains",
        training:
          "1: wait while another process writes the image, and lose nothing; `warmstart build` sets it while it trains",
        mode: "checked: check each file of a sealed image, too",
        readonly: "1: use an image that is there, record and write nothing",
        search: "0: no load-path index, Ruby searches as usual",
        code: "0: no code from the image, Ruby compiles as usual",
        documents: "0: no documents from the image, Psych parses YAML files as usual",
        frozen_string_literals:
          "1: freeze the string literals of the application's own files (not of gems) that have no magic comment",
        bundler: "0: warmstart/bundler runs Bundler's own setup each time, and records nothing of it",
        direct: "0: files are loaded by Ruby's own require, which costs system calls",
        revalidate: "0: a file whose times differ is compiled anew, without a look at its content",
        ahead: "0: no threads that make slow metadata calls, or read the files of a restored boot, before their turn",
        gc: "off: collections during the boot as Ruby makes them; a number: megabytes of growth between two of them",
        ignore_directories: "names of folders that the index does not enter, separated by commas",
        maximum_size: "bytes that one image may take on disk (K, M, G)",
        map: "copy: read the image into memory rather than map it (network file systems: always)",
        paths:
          "0: on Windows File.expand_path and File.absolute_path are Ruby's own, which ask the disk; elsewhere they " \
            "always are",
        default_gems:
          "0: under `warmstart exec` RubyGems reads the gemspecs of all default gems at its start, as usual",
        tweaks: "names of the tweaks to apply (docs/speed.md), separated by commas; all or none",
        config: "a file of the application's, loaded when the application has set up Warmstart",
        standby:
          "0: the standby's client runs the ordinary command; 1: it uses a standby also in " \
            "production, under CI and as root (docs/standby.md)",
        log: "1: a line on stderr for each event",
        stats: "1: a summary on stderr when the program ends"
      }.freeze

      # Variables that no boot reads, only a command: there is no keyword for them.
      ONLY_COMMANDS_READ = {
        application: "push, pull: the name under which the application's images lie in a store",
        signing_key: "push: the file of the private key that signs, or the key itself",
        trusted_keys: "pull: public keys, or files with some, separated by commas",
        store_token: "push, pull: the token that a web server as a store asks for",
        store_token_file: "push, pull: a file with that token"
      }.freeze

      # Those whose values are not printed.
      SECRET = %i[signing_key store_token].freeze

      class << self
        # The table of docs/configuration.md.
        def markdown
          rows =
            Configuration::OPTIONS.map do |option|
              [
                option.keyword? ? "`#{option.name}:`" : "-",
                "`#{option.variable}`",
                option.type,
                show(option.default),
                MEANINGS.fetch(option.name)
              ]
            end
          rows += ONLY_COMMANDS_READ.map { |name, meaning| ["-", "`#{variable(name)}`", "text", "-", meaning] }
          head = %w[keyword variable type default meaning]
          [head, head.map { "---" }, *rows].map { |row| "| #{row.join(" | ")} |" }.join("\n")
        end

        # @param name [Symbol] of ONLY_COMMANDS_READ
        def variable(name) = "WARMSTART_#{name.upcase}"

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
        parser.on("--json", "as JSON")
        parser.on("--markdown", "as the table in docs/configuration.md")
      end

      def execute(rest)
        no_arguments(rest)
        configuration = Configuration.new
        configuration.complaints.each { |line| CLI.complain(line) }
        if @options[:markdown]
          puts Env.markdown
        elsif @options[:json]
          print_json(all(configuration))
        else
          print_text(configuration)
        end
        0
      end

      # @return [Array<Hash>]
      def all(configuration)
        Configuration::OPTIONS.map { |option| facts(option, configuration) } +
          ONLY_COMMANDS_READ.map { |name, meaning| command_facts(name, meaning) }
      end

      def facts(option, configuration)
        {
          name: option.name,
          keyword: option.keyword?,
          variable: option.variable,
          type: option.type,
          default: option.default,
          value: configuration.public_send(option.name),
          from: configuration.given.key?(option.name) ? "environment" : "default",
          doc: MEANINGS.fetch(option.name)
        }
      end

      def command_facts(name, meaning)
        variable = Env.variable(name)
        value = ENV[variable]
        value = nil if value.to_s.empty?
        {
          name: name,
          keyword: false,
          variable: variable,
          type: :text,
          default: nil,
          value: value && SECRET.include?(name) ? "(set)" : FileNames.text(value),
          from: value ? "environment" : "default",
          doc: meaning
        }
      end

      def print_text(configuration)
        all(configuration).each do |fact|
          standard = ", default #{Env.show(fact[:default])}" if fact[:from] != "default"
          puts "#{fact[:variable]}=#{Env.show(fact[:value])}  (#{fact[:from]}; #{fact[:type]}#{standard})",
               "    #{fact[:doc]}"
          puts "    in Ruby: Warmstart.setup(#{fact[:name]}: ...)" if fact[:keyword]
        end
      end
    end
  end
end
