# frozen_string_literal: true

require "rbconfig"

require_relative "file_names"

module Warmstart
  # How a Ruby program that does not know Warmstart is made to load it: by RUBYOPT. The option comes before what is
  # there already (Bundler's -rbundler/setup, for instance), so that Bundler comes from the image, too.
  # @api private
  module RubyOptions
    START = File.join(__dir__, "start.rb")
    # Ruby finds the rubygems.rb in this folder before RubyGems' own.
    BEFORE_RUBYGEMS = File.join(__dir__, "before_rubygems")
    # Holds "PID SCRIPT", which the file in BEFORE_RUBYGEMS reads.
    PROGRAM = "WARMSTART_PROGRAM"

    module_function

    # @param base [#[]] the environment that the program would have without Warmstart
    # @param command [Array<String>, nil] what this process becomes or starts. If it certainly makes Ruby run a
    #   script, RubyGems itself comes from the image, too.
    # @return [Hash{String => String, nil}] the variables to change in it
    def environment(base = ENV, command: nil)
      script = command && ruby_script(command)
      changes = { PROGRAM => script && "#{Process.pid} #{script}" }
      # Ruby splits RUBYOPT at blanks and knows no quotes. So a folder with a blank in its name is added to RUBYLIB.
      unless START.match?(/\s/)
        return changes.merge(with(base, [("-I#{BEFORE_RUBYGEMS}" if script), "-r#{START}"].compact.join(" ")))
      end

      library = [(BEFORE_RUBYGEMS if script), File.expand_path("..", __dir__), base["RUBYLIB"]].compact.join(
        File::PATH_SEPARATOR
      )
      changes.merge(with(base, "-rwarmstart/start"), "RUBYLIB" => library)
    end

    # @return [Hash{String => String}] RUBYOPT with the options in front
    def with(base, options)
      given = base["RUBYOPT"].to_s
      { "RUBYOPT" => given.start_with?(options) ? given : [options, given].reject(&:empty?).join(" ") }
    end

    # The script that the command makes Ruby run: its own file, if the first line names Ruby and no options; or the
    # first argument of Ruby itself, if that is not an option (ruby.c: proc_options ends there). For other commands
    # only Ruby itself could tell.
    # @return [String, nil] an absolute path
    def ruby_script(command)
      program = candidates(command.first).find { |path| File.file?(path) && File.executable?(path) }
      if program.nil?
        nil
      elsif names_ruby?(program)
        program
      elsif File.identical?(program, RbConfig.ruby) && !command.fetch(1, "-").start_with?("-")
        FileNames.expand(command[1])
      end
    end

    # Where the system looks for a program.
    # @return [Array<String>] absolute paths
    def candidates(name)
      return [FileNames.expand(name)] if name.include?("/")

      ENV["PATH"].to_s.split(File::PATH_SEPARATOR).map { |folder| FileNames.expand(name, folder) }
    end

    # "#!/usr/bin/ruby3.1", "#!/usr/bin/env ruby"
    def names_ruby?(path)
      File.binread(path, 256).to_s.lines.first.to_s.match?(%r{\A#! ?/\S*/(?:env[ \t]+)?ruby[\d.]*[ \t]*\n\z})
    rescue SystemCallError
      false
    end
  end
end
