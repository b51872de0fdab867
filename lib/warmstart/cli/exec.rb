# frozen_string_literal: true

require_relative "../cli"
require_relative "../ruby_options"

module Warmstart
  module CLI
    # `warmstart exec COMMAND`: becomes the command, with Warmstart in RUBYOPT. It loads only what it needs for that.
    # @api private
    class Exec
      HELP = <<~TEXT
        Usage: warmstart exec [--standby] [--] COMMAND [ARGUMENTS]

        Runs a Ruby program, unmodified, with Warmstart, and the Ruby programs that it starts, too. The first run records the
        program's files in the user's cache folder; later runs start from there. An image inside the current folder is never used.

                --standby                    from a process that has booted it already, if there is one ('warmstart standby --help')
            -h, --help                       this text
      TEXT

      # Does not return if the command can be executed.
      def run(arguments)
        return puts(HELP) || 0 if %w[-h --help].include?(arguments.first)

        standby = arguments.first == "--standby"
        arguments = arguments.drop(1) if standby
        arguments = arguments.drop(1) if arguments.first == "--"
        option = arguments.first
        if option.nil? || option.start_with?("-")
          raise UsageError.new(option ? "invalid option: #{option}" : "no command given", "exec")
        end

        standby ? become_client(arguments) : become(RubyOptions.environment(command: arguments), arguments)
      end

      private

      # The client looks for the command as the system does, and runs it by itself if there is no standby. (A standby is
      # known by its environment, so that must not hold the number of this process.)
      def become_client(command)
        require_relative "../standby_client"
        become(RubyOptions.environment, [StandbyClient.path!, "--", *command])
      end

      def become(environment, command)
        Process.exec(environment, [command.first, command.first], *command.drop(1))
      rescue SystemCallError => error
        raise CLI.cannot_start(command.first, error)
      end
    end
  end
end
