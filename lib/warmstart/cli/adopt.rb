# frozen_string_literal: true

require_relative "command"
require_relative "../boot/adoption"
require_relative "../image/inspector"
require_relative "../image/reasons"
require_relative "../units"

module Warmstart
  module CLI
    # `warmstart adopt`: makes an image that came from elsewhere this application's own, on the user's word. (A boot
    # believes only what this user has made on this machine: docs/security.md.)
    # @api private
    class Adopt < Command
      USAGE = "[OPTIONS] [FOLDER]"
      ABOUT = <<~TEXT
        Takes over the image in FOLDER, which was made on another machine, in another clone or at another path (default: the one in
        tmp/cache/warmstart that came with this copy of the application). Each file's contents are compared. The code itself is
        believed, so adopt only what somebody made whose code you would run.
      TEXT

      # What became of the files (ws_adopted in core/adoption/adoption.h).
      COUNTS = {
        taken: "taken over",
        relocated: "of these, with code that has another path now",
        unwanted: "of gems that are not in the bundle",
        gone: "not here",
        changed: "with other contents here",
        fixed: "whose code cannot be moved",
        young: "too young to be believed"
      }.freeze

      private

      def define(parser)
        parser.on("--dry-run", "show what is there, change nothing")
        parser.on(*ROOT)
        parser.on("--json", "print the counts as JSON")
      end

      def execute(rest)
        no_arguments(rest.drop(1))
        need_extension
        folder = rest.first ? FileNames.expand(rest.first) : target.directory
        found = inspect_image(folder)
        counts = take_over(folder) unless @options[:dry_run]
        @options[:json] ? print_json({ **found, **counts.to_h }) : print_result(found, counts)
        0
      end

      # What it is, and where from.
      def inspect_image(folder)
        image = Image::Inspector.new(folder, owner: target.owner)
        if image.problem
          raise Error, "#{image.message}: #{Image::Reasons.explain(image.problem)}; nothing was taken over"
        end

        {
          folder: folder,
          root: image.manifest[:root],
          files: image.code.size,
          documents: image.documents.size,
          size: image.size,
          created: image.segments.map { |segment| segment.fetch(:created) }.max
        }
      end

      def take_over(folder)
        target.prepare
        adoption = Adoption.new(target.location, Native.key_hash(Image::Key.text))
        adoption.take_over(Adoption::Other.new(folder), target.configuration.maximum_size) or
          raise Error, "none of its files is the same here; nothing was taken over"
      end

      def print_result(found, counts)
        files, documents = found.values_at(:files, :documents).map { |count| Units.count(count) }
        puts "found in #{found[:folder]}: #{files} files, #{documents} documents, #{Units.bytes(found[:size])}"
        puts "  of the application in #{found[:root]}" unless found[:root].to_s.empty?
        puts "  written #{Time.at(found[:created]).strftime("%Y-%m-%d %H:%M")}"
        return CLI.complain("nothing was changed (--dry-run)") unless counts

        COUNTS.each { |name, text| puts "#{Units.count(counts.fetch(name))} #{text}" if counts.fetch(name).positive? }
      end
    end
  end
end
