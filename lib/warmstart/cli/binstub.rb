# frozen_string_literal: true

require "fileutils"
require "shellwords"

require_relative "command"
require_relative "../ruby_options"
require_relative "../standby_client"

module Warmstart
  module CLI
    # `warmstart binstub COMMAND`: writes a file that starts the command as `warmstart exec` would, without another Ruby
    # process. It is a script for sh, which starts in a millisecond; Ruby with RubyGems takes fifty. If Warmstart has
    # been removed meanwhile, the command starts as usual.
    # @api private
    class Binstub < Command
      USAGE = "[OPTIONS] [--] COMMAND [ARGUMENTS]"
      ABOUT = <<~TEXT
        Writes a small shell script that runs COMMAND with Warmstart, as 'warmstart exec COMMAND' does, but at once: by default bin/COMMAND in
        this application. COMMAND is looked for in PATH now, and started from there.
      TEXT

      HEADER = "# Written by `warmstart binstub`"
      LIBRARY = File.expand_path("..", __dir__)

      private

      def define(parser)
        parser.on("--to FILE", "the file to write (default: bin/COMMAND in the application's folder)")
        parser.on(
          "--standby",
          "the script runs the command from a process that has booted it already (docs/standby.md)"
        ) { StandbyClient.path!.b }
        parser.on(*ROOT)
      end

      # The first word that is not an option begins the command.
      def parse(parser, arguments) = parse_command(parser, arguments)

      def execute(command)
        usage_error("no command given") if command.empty?
        path = path_for(File.basename(command.first))
        check(path)
        write(path, script([program(command.first, path), *command.drop(1)]))
        CLI.complain("wrote #{path}")
        0
      end

      # @param name [String] the command's
      def path_for(name)
        given = @options[:to] or return File.join(target.root!, "bin", name)

        path = FileNames.expand(given)
        given.end_with?("/") || File.directory?(path) ? File.join(path, name) : path
      end

      def check(path)
        return if !File.exist?(path) || File.binread(path).include?(HEADER)

        raise Error, "#{path} is not of this command's; name another file by --to"
      rescue SystemCallError => error
        raise Error, "cannot read #{path}: #{CLI.reason(error)}"
      end

      # The command's absolute path. (The script itself may come first in PATH under the same name.)
      def program(name, written)
        found =
          RubyOptions
            .candidates(name)
            .find { |path| File.file?(path) && File.executable?(path) && (name.include?("/") || !same?(path, written)) }
        found or raise CLI.cannot_start(name, Errno::ENOENT.new)
      end

      # (Shellwords refuses what is no text. A file of a shell's holds bytes.)
      def escape(word) = Shellwords.escape(word.b)

      def same?(path, other) = File.exist?(other) && File.identical?(path, other)

      # Ruby splits RUBYOPT at blanks and knows no quotes. So a folder with a blank in its name is added to RUBYLIB
      # (RubyOptions).
      def script(command)
        blank = LIBRARY.match?(/\s/)
        # (A standby is known by its environment, so that must not hold the number of this process.)
        ruby = RubyOptions.ruby_script(command) unless @options[:standby]
        <<~SH
          #!/bin/sh
          #{HEADER}: starts a program from its boot image, RubyGems included.
          # Where Warmstart is not there any more, the program starts as usual.
          warmstart=#{escape(LIBRARY)}
          if [ -f "$warmstart/start.rb" ]; then
            before=#{%("$warmstart/before_rubygems"; #{RubyOptions::PROGRAM}="$$ "#{escape(ruby)}; export #{RubyOptions::PROGRAM}) if ruby}
            #{blank ? 'options="-rwarmstart/start"' : 'options="${before:+-I$before }-r$warmstart/start.rb"'}
            case "$RUBYOPT" in
              "$options"*) ;;
              *) #{'RUBYLIB="${before:+$before:}${warmstart%/*}${RUBYLIB:+:$RUBYLIB}"; export RUBYLIB; ' if blank}RUBYOPT="$options${RUBYOPT:+ $RUBYOPT}"; export RUBYOPT ;;
            esac
          elif [ -t 2 ]; then
            echo "warmstart: $warmstart is gone; write $0 again by 'warmstart binstub', or remove it" >&2
          fi
          #{[*(from_standby(command) if @options[:standby]), %(exec #{command.map { |word| escape(word) }.join(" ")} "$@")].join("\n")}
        SH
      end

      # The client becomes the ordinary command if there is no standby.
      def from_standby(command)
        client = escape(@options[:standby])
        %([ -x #{client} ] && exec #{client} -- #{command.map { |word| escape(word) }.join(" ")} "$@")
      end

      def write(path, text)
        FileUtils.mkdir_p(File.dirname(path))
        File.write(path, text)
        File.chmod(0o755, path)
      rescue SystemCallError => error
        raise Error, "cannot write #{path}: #{CLI.reason(error)}"
      end
    end
  end
end
