# frozen_string_literal: true

module Warmstart
  module CLI
    # How a Ruby program that knows nothing of Warmstart is made to load it: RUBYOPT, in front of what is there already
    # (Bundler's -rbundler/setup, say, so that Bundler comes from the image, too).
    module RubyOptions
      SETUP = File.expand_path("../setup.rb", __dir__)
      # Its rubygems.rb is found before RubyGems' own.
      BEFORE_RUBYGEMS = File.expand_path("../before_rubygems", __dir__)
      # Without it nobody knows yet, when RubyGems is loaded, which program it is for. (Windows has a call.)
      COMMAND_LINE = "/proc/self/cmdline"

      module_function

      # @param base [#[]] the environment that the program would get
      # @param rubygems [Boolean] shall RubyGems itself come from the image, too?
      # @return [Hash{String => String}] what to change in it
      def environment(base = ENV, rubygems: false)
        rubygems &&= !File::ALT_SEPARATOR.nil? || File.readable?(COMMAND_LINE)
        # RUBYOPT is split at blanks and knows no quotes; a folder with a blank in its name has to come by RUBYLIB.
        return with(base, [("-I#{BEFORE_RUBYGEMS}" if rubygems), "-r#{SETUP}"].compact.join(" ")) unless SETUP.match?(/\s/)

        library = [(BEFORE_RUBYGEMS if rubygems), File.expand_path("../..", __dir__), base["RUBYLIB"]].compact.join(File::PATH_SEPARATOR)
        with(base, "-rwarmstart/setup").merge("RUBYLIB" => library)
      end

      # @return [Hash{String => String}] RUBYOPT with the options in front
      def with(base, options)
        given = base["RUBYOPT"].to_s
        { "RUBYOPT" => given.start_with?(options) ? given : [options, given].reject(&:empty?).join(" ") }
      end
    end
  end
end
