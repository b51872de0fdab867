# frozen_string_literal: true

require_relative "boot_file"

module Warmstart
  module CLI
    class Init < Command
      # The texts of the application's scripts, which a standby can answer for (docs/standby.md). No Ruby may start for
      # that, so a shell reads a script first: the lines down to `=end`, which for Ruby are a comment. The shell either
      # becomes the client, or Ruby, as `env` did. Ruby looks for a line with its own name, because the first one has
      # another (load_file_internal in ruby.c), and counts lines as before. A file that Ruby loads (`load`) has a comment
      # more.
      #
      # Where the client lies depends on the machine and on the gem's version, so each boot that is recorded notes it
      # beside the image. The note counts only if it is a file of the user who runs the script. (Of a link
      # -O asks whose the file is that it leads to, into which somebody else may have had a line put.)
      # @api private
      module StandbyScripts
        NAMES = %w[rails rake rspec].map { |name| "bin/#{name}" }.freeze
        RUBY = "#!/usr/bin/env ruby\n"
        SHELL = <<~SH
          #!/bin/sh
          =begin 2>/dev/null
          # From a process that has booted this already, if there is one; else as usual (written by: warmstart init --standby).
          note="${0%/*}/../tmp/cache/warmstart/standby"
          [ -O "$note" ] && [ ! -L "$note" ] && read -r client < "$note" && [ -x "$client" ] && exec "$client" -- ruby "$0" "$@"
          exec ruby "$0" "$@"
          =end
        SH

        module_function

        # @return [String]
        def add(text) = text.start_with?(RUBY) ? SHELL + text : text
        # @return [String]
        def remove(text) = text.delete_prefix(SHELL)

        # Whether another program than `ruby` runs the file, so that nothing can be put before that.
        def other?(text) = !text.start_with?(RUBY, SHELL)
      end
    end
  end
end
