# frozen_string_literal: true

require "optparse"

require_relative "../../warmstart"
require_relative "target"

module Warmstart
  module CLI
    # What all commands share: options, --help, and the image that they are about. A command defines USAGE and ABOUT,
    # adds its options in `define`, and does its work in `execute`, which returns the exit status.
    # @api private
    class Command
      # (An empty word would be the current folder, and is mostly a variable of the shell that is not set.)
      NAMES_OF_PLACES = %i[root image user to].freeze
      private_constant :NAMES_OF_PLACES

      def initialize
        @options = {}
      end

      # @return [Integer] exit status
      def run(arguments)
        parser = option_parser
        rest = parse(parser, arguments.map { |word| FileNames.text(word) })
        return print_help(parser) if @options[:help]

        empty = NAMES_OF_PLACES.find { |option| @options[option] == "" } and usage_error("--#{empty} needs a name")
        execute(rest)
      rescue OptionParser::ParseError => error
        raise UsageError.new(error.message.lines(chomp: true).reject(&:empty?).join("; "), name)
      end

      def name = COMMANDS.find { |_, (constant, _)| constant == self.class.name.split("::").last.to_sym }.first

      private

      # Subclasses override it.
      def define(parser)
      end

      def parse(parser, arguments) = before_marker(arguments) { |own| parsed(own, parser.method(:permute!)) }

      # The first word that is not an option begins a command.
      def parse_command(parser, arguments) = before_marker(arguments) { |own| parsed(own, parser.method(:order!)) }

      # Puts each option under its long name into @options. (OptionParser matches patterns, which only bytes and valid
      # text can be matched with.)
      def parsed(words, method)
        rest = method.call(words.map(&:b), into: @options)
        @options.transform_keys! { |name| name.to_s.tr("-", "_").to_sym }
        @options.transform_values! { |value| value.is_a?(String) ? FileNames.text(value) : value }
        rest.map { |word| FileNames.text(word) }
      end

      # "--" ends the options, even after an option that lacks its argument (OptionParser would take "--" for that).
      def before_marker(arguments)
        marker = arguments.index("--") or return yield(arguments)

        rest = yield(arguments.take(marker))
        rest + arguments.drop(rest.empty? ? marker + 1 : marker)
      end

      def option_parser
        OptionParser.new do |parser|
          parser.banner = "Usage: warmstart #{name} #{self.class::USAGE}\n\n#{self.class::ABOUT}\n"
          define(parser)
          parser.on("-h", "--help", "this text")
        end
      end

      def print_help(parser)
        puts parser.help
        0
      end

      ROOT = ["--root FOLDER", "the application's folder (default: the nearest one above with a Gemfile)"].freeze

      # Options that select the image.
      def define_target(parser)
        parser.on(*ROOT)
        parser.on("--user PROGRAM", "the image that 'warmstart exec PROGRAM' uses")
        parser.on("--image FOLDER", "the very folder of an image")
      end

      def target
        @target ||= Target.new(root: @options[:root], program: @options[:user], image: @options[:image])
      end

      # @return [String] the folder that holds the images of 'warmstart exec'
      def user_folder
        Configuration.new.cache_dir || (Location.user_cache && File.join(Location.user_cache, "warmstart")) or
          raise Error, "there is no folder for images: HOME is not set; set WARMSTART_CACHE_DIR"
      end

      def need_extension
        return if Warmstart.available?
        raise Error, "Warmstart is off where boxes are on (RUBY_BOX=1)" if Warmstart.boxes?

        raise Error,
              "there is no extension for this Ruby (#{RUBY_ENGINE} #{RUBY_VERSION}); install the gem again for it, " \
                "or run bin/setup"
      end

      def no_arguments(rest)
        raise UsageError.new("unexpected argument: #{rest.first}", name) unless rest.empty?
      end

      def usage_error(message) = raise(UsageError.new(message, name))

      # @return [Regexp] what an option's word means
      def regular(option, text)
        Regexp.new(text)
      rescue RegexpError => error
        usage_error("#{option} takes a regular expression: #{error.message}")
      end

      def print_json(object)
        require "json"
        puts JSON.pretty_generate(unicode(object))
      end

      # JSON holds Unicode text. What is none in a path's name becomes U+FFFD.
      def unicode(object)
        case object
        when Hash
          object.to_h { |name, value| [unicode(name), unicode(value)] }
        when Array
          object.map { |value| unicode(value) }
        when String
          object.dup.force_encoding(Encoding::UTF_8).scrub
        else
          object
        end
      end
    end
  end
end
