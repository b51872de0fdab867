# frozen_string_literal: true

module Warmstart
  module CLI
    # How a Ruby program that knows nothing of Warmstart is made to load it: RUBYOPT, in front of what is there already
    # (Bundler's -rbundler/setup, say, so that Bundler comes from the image, too).
    module RubyOptions
      SETUP = File.expand_path("../setup.rb", __dir__)

      module_function

      # @param base [#[]] the environment that the program would get
      # @return [Hash{String => String}] what to change in it
      def environment(base = ENV)
        # RUBYOPT is split at blanks and knows no quotes; a folder with a blank in its name has to come by RUBYLIB.
        return with(base, "-r#{SETUP}") unless SETUP.match?(/\s/)

        library = [File.expand_path("../..", __dir__), base["RUBYLIB"]].compact.join(File::PATH_SEPARATOR)
        with(base, "-rwarmstart/setup").merge("RUBYLIB" => library)
      end

      # @return [Hash{String => String}] RUBYOPT with the option in front
      def with(base, option)
        { "RUBYOPT" => [option, base["RUBYOPT"]].compact.reject(&:empty?).join(" ") }
      end
    end
  end
end
