# frozen_string_literal: true

module Warmstart
  # Ruby's own gem_prelude.rb, run later: what process_options (ruby.c) switches on unless an option says otherwise, and in the
  # same order. Only where RUBYOPT has our --disable-gems; what the user disabled stays disabled.
  module Prelude
    # Each feature of --disable that the prelude knows: the module that Ruby defines for it, and what is required. All of them
    # are off where gems are.
    Companion = Struct.new(:feature, :constant, :file, :since)
    COMPANIONS = [
      Companion.new("error_highlight", :ErrorHighlight, "error_highlight", "3.1"),
      Companion.new("did_you_mean", :DidYouMean, "did_you_mean", "3.1"),
      Companion.new("syntax_suggest", :SyntaxSuggest, "syntax_suggest/core_ext", "3.2"),
    ].each(&:freeze).freeze

    # Ruby's options that take the next word for their argument.
    WITH_ARGUMENT = %w[-e -C -X -I -r -E --encoding --external-encoding --internal-encoding --enable --disable --dump --backtrace-limit].freeze
    OPTION = "--disable-gems"
    START = "/warmstart/start"

    class << self
      def run
        disabled = disabled_features
        return if disabled.include?("gems")

        companions = COMPANIONS.select { |companion| RUBY_VERSION >= companion.since && !disabled.include?(companion.feature) }
        require "rbconfig"               # (as RubyGems would first of all)
        Warmstart.session&.know_ruby_folders
        expect_default_gems
        define(:Gem, *companions.map(&:constant))
        load_rubygems
        companions.each { |companion| load_companion(companion) }
      end

      # What is disabled by somebody else than us.
      # @param words [Array<String>] of RUBYOPT without our option, and of the command line up to the script
      # @return [Array<String>] of "gems", "error_highlight" ...
      def disabled_features(words = rubyopt + command_line)
        all = ["gems", *COMPANIONS.map(&:feature)]
        words.each_with_index.with_object([]) do |(word, index), disabled|
          state, names = word.match(/\A--(disable|enable)(?:[-=](.+))?\z/)&.captures
          next unless state

          features = (names || words[index + 1].to_s).split(/[,\s]+/).flat_map { |name| matching(name, all) }
          state == "disable" ? disabled.concat(features) : features.each { |feature| disabled.delete(feature) }
        end
      end

      private

      # As NAME_MATCH_P does: the beginning of a name is enough, case and - or _ do not matter.
      def matching(name, all)
        name = name.downcase.tr("-", "_")
        name == "all" ? all : all.select { |feature| feature.start_with?(name) || name == "gem" && feature == "gems" }
      end

      # Without what RubyOptions put there.
      def rubyopt
        words = ENV["RUBYOPT"].to_s.split
        while (ours = words.each_cons(2).find_index { |first, second| first == OPTION && second.start_with?("-r") && second.chomp(".rb").end_with?(START) })
          words.slice!(ours, 2)
        end
        words
      end

      # Ruby's own options, from the system: ARGV has only the script's.
      def command_line
        words = File.binread("/proc/self/cmdline").split("\0").drop(1)
        options = []
        while words.first&.start_with?("-") && words.first != "--" && words.first != "-"
          options << words.shift
          options << words.shift.to_s if WITH_ARGUMENT.include?(options.last)
        end
        options
      rescue SystemCallError
        []
      end

      def expect_default_gems
        return unless Warmstart.session&.configuration&.default_gems

        require_relative "default_gems"
        DefaultGems.expect
      end

      def define(*constants)
        constants.each { |constant| Object.const_set(constant, Module.new) unless Object.const_defined?(constant) }
      end

      def load_rubygems
        require "rubygems"
      rescue LoadError => error
        raise unless error.path == "rubygems"

        warn "`RubyGems' were not loaded."
      else
        require "bundled_gems" if RUBY_VERSION >= "3.3"
      end

      def load_companion(companion)
        require companion.file
      rescue LoadError
        warn "`#{companion.feature}' was not loaded."
      end
    end
  end
end
