# frozen_string_literal: true

require_relative "command"
require_relative "../standby_client"

module Warmstart
  module CLI
    # `warmstart standby`: about the processes that have booted and wait for commands (docs/standby.md). The client does
    # the work; it is a program in C, because people also call it directly, and no Ruby should start then.
    # @api private
    class Standby < Command
      USAGE = "status [--json] | stop | inputs | path"
      ABOUT = <<~TEXT
        A standby is a process that has booted a command and waits, so that the same command, typed again, starts at once. It is used only if all
        that its boot has asked of the outside (files, folders, links, variables, limits) is unchanged.

          status    the standbys of this user: since when, how large, how often used, or why a command has none
          stop      end all of them, when the commands that run from them have ended
          inputs    list everything that their boots have asked
          path      the client's path. So that `s bin/rails test` runs a command from its standby:
                        alias s="$(warmstart standby path)"
      TEXT

      WORDS = { "status" => "--status", "stop" => "--stop", "inputs" => "--inputs" }.freeze

      private

      def define(parser)
        parser.on("--json", "with status: print JSON")
      end

      def execute(rest)
        word, *others = rest
        usage_error("unknown word #{others.first}") if others.any?
        usage_error("status, stop, inputs or path is missing") unless word
        usage_error("unknown word #{word}") unless word == "path" || WORDS.key?(word)
        usage_error("--json is for status") if @options[:json] && word != "status"
        return puts(StandbyClient.path!) || 0 if word == "path"

        StandbyClient.tell(WORDS.fetch(word), *("--json" if @options[:json])) ? 0 : 1
      end
    end
  end
end
