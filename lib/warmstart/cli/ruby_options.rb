# frozen_string_literal: true

require "rbconfig"

module Warmstart
  module CLI
    # How a Ruby program that knows nothing of Warmstart is made to load it: RUBYOPT, in front of what is there already
    # (Bundler's -rbundler/setup, say, so that Bundler comes from the image, too).
    module RubyOptions
      START = File.expand_path("../start.rb", __dir__)
      # Its rubygems.rb is found before RubyGems' own.
      BEFORE_RUBYGEMS = File.expand_path("../before_rubygems", __dir__)
      # "PID SCRIPT", for BEFORE_RUBYGEMS.
      PROGRAM = "WARMSTART_PROGRAM"

      module_function

      # @param base [#[]] the environment that the program would get
      # @param command [Array<String>, nil] what this process becomes, or starts itself: where that makes Ruby run a
      #   script for certain, RubyGems itself comes from the image, too
      # @return [Hash{String => String, nil}] what to change in it
      def environment(base = ENV, command: nil)
        script = command && ruby_script(command)
        changes = { PROGRAM => script && "#{Process.pid} #{script}" }
        # RUBYOPT is split at blanks and knows no quotes; a folder with a blank in its name has to come by RUBYLIB.
        unless START.match?(/\s/)
          return changes.merge(with(base, [("-I#{BEFORE_RUBYGEMS}" if script), "-r#{START}"].compact.join(" ")))
        end

        library = [(BEFORE_RUBYGEMS if script), File.expand_path("../..", __dir__), base["RUBYLIB"]].compact.join(
          File::PATH_SEPARATOR
        )
        changes.merge(with(base, "-rwarmstart/start"), "RUBYLIB" => library)
      end

      # @return [Hash{String => String}] RUBYOPT with the options in front
      def with(base, options)
        given = base["RUBYOPT"].to_s
        { "RUBYOPT" => given.start_with?(options) ? given : [options, given].reject(&:empty?).join(" ") }
      end

      # The script that the command makes Ruby run: its own file, whose first line names Ruby and no options, or the
      # first argument of Ruby itself, if that is no option (ruby.c: proc_options ends there). Everything else only Ruby
      # could say.
      # @return [String, nil] an absolute path
      def ruby_script(command)
        program = find(command.first)
        if program.nil?
          nil
        elsif names_ruby?(program)
          program
        elsif File.identical?(program, RbConfig.ruby) && !command.fetch(1, "-").start_with?("-")
          File.expand_path(command[1])
        end
      end

      # As the system looks for a program.
      # @return [String, nil] an absolute path
      def find(name)
        paths =
          (
            if name.include?("/")
              [File.expand_path(name)]
            else
              ENV["PATH"].to_s.split(File::PATH_SEPARATOR).map { |folder| File.expand_path(name, folder) }
            end
          )
        paths.find { |path| File.file?(path) && File.executable?(path) }
      end

      # "#!/usr/bin/ruby3.1", "#!/usr/bin/env ruby"
      def names_ruby?(path)
        File.binread(path, 256).to_s.lines.first.to_s.match?(%r{\A#! ?/\S*/(?:env[ \t]+)?ruby[\d.]*[ \t]*\n\z})
      rescue SystemCallError
        false
      end
    end
  end
end
