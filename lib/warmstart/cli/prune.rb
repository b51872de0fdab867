# frozen_string_literal: true

require_relative "store_command"
require_relative "../stores/prune"

module Warmstart
  module CLI
    # `warmstart prune`: removes old images from a store.
    # @api private
    class Prune < StoreCommand
      USAGE = "[OPTIONS] STORE"
      ABOUT = <<~TEXT
        Removes images from STORE, and the pieces that no image names any more. Pieces of the last hour stay, because a push may be under way.
        Without --older-than and --max-size it removes such pieces only.
      TEXT
      UNITS = { "m" => 60, "h" => 3600, "d" => 86_400, "w" => 604_800 }.freeze

      private

      def define(parser)
        parser.on("--older-than TIME", "remove images that were pushed longer ago (90m, 12h, 30d, 8w)")
        parser.on("--max-size BYTES", "remove the oldest images until the store has at most so many (500M, 2G)")
        parser.on("--dry-run", "tell what would be removed, remove nothing")
        define_store(parser)
      end

      def work
        result =
          Stores::Prune.new(
            @store,
            older_than: seconds(@options[:older_than]),
            maximum_size: bytes(@options[:max_size]),
            dry_run: @options[:dry_run]
          ).run
        @options[:json] ? print_json(result.to_h) : print_result(result)
        0
      end

      def seconds(text)
        return unless text

        number, unit = text.match(/\A(\d{1,9})([mhdw])\z/)&.captures
        usage_error("--older-than takes a time as 90m, 12h, 30d, 8w") unless number
        number.to_i * UNITS.fetch(unit)
      end

      def bytes(text)
        return unless text

        number, unit = text.match(/\A(\d{1,12})([KMG]?)\z/i)&.captures
        usage_error("--max-size takes a number of bytes, as 500M or 2G") unless number
        number.to_i << Configuration::UNITS.fetch(unit.upcase)
      end

      def print_result(result)
        verb = @options[:dry_run] ? "would remove" : "removed"
        puts "#{verb} #{count(result.images, "image")} and #{count(result.pieces, "piece")}, " \
               "#{Warmstart::Units.bytes(result.size)}, from #{@store}; #{count(result.left_images, "image")} and " \
               "#{Warmstart::Units.bytes(result.left_size)} are left"
      end

      def count(number, noun) = "#{Warmstart::Units.count(number)} #{noun}#{"s" unless number == 1}"
    end
  end
end
