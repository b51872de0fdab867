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
      def initialize
        @options = {}
      end

      # @return [Integer] exit status
      def run(arguments)
        parser = option_parser
        rest = parse(parser, arguments.map { |word| FileNames.text(word) })
        return print_help(parser) if @options[:help]

        execute(rest)
      rescue OptionParser::ParseError => error
        raise UsageError.new(error.message.lines(chomp: true).reject(&:empty?).join("; "), name)
      end

      def name = COMMANDS.find { |_, (constant, _)| constant == self.class.name.split("::").last.to_sym }.first

      private

      # Subclasses override it.
      def define(parser)
      end

      def parse(parser, arguments) = before_marker(arguments) { |own| parsed(own) { |words| parser.permute!(words) } }

      # The first word that is not an option begins a command.
      def parse_command(parser, arguments) =
        before_marker(arguments) { |own| parsed(own) { |words| parser.order!(words) } }

      # (OptionParser matches patterns, which only bytes and valid text can be matched with.)
      def parsed(words)
        rest = yield(words.map(&:b))
        @options.transform_values! { |value| path_of(value) }
        path_of(rest)
      end

      def path_of(value)
        case value
        when String
          FileNames.text(value)
        when Array
          value.map { |item| path_of(item) }
        else
          value
        end
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
          parser.on("-h", "--help", "this text") { @options[:help] = true }
        end
      end

      def print_help(parser)
        puts parser.help
        0
      end

      # Options that select the image.
      def define_target(parser)
        parser.on("--root FOLDER", "the application's folder (default: the nearest one above with a Gemfile)") do |path|
          @options[:root] = path
        end
        parser.on("--user PROGRAM", "the image that 'warmstart exec PROGRAM' uses") do |program|
          @options[:user] = program
        end
        parser.on("--image FOLDER", "the very folder of an image") { |path| @options[:image] = path }
      end

      def target
        @target ||= Target.new(root: @options[:root], program: @options[:user], image: @options[:image])
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
