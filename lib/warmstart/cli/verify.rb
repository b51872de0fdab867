# frozen_string_literal: true

require_relative "command"
require_relative "../units"
require_relative "../image/inspector"
require_relative "../image/reasons"

module Warmstart
  module CLI
    # `warmstart verify`: compares every checksum of every image in the folder. The exit status is 1 if something is
    # damaged, or if there is no image.
    # @api private
    class Verify < Command
      USAGE = "[OPTIONS]"
      ABOUT = "Compares every checksum of the image: its tables, and what is kept of each file.\n"

      private

      def define(parser)
        define_target(parser)
        parser.on("--json", "as JSON")
      end

      def execute(rest)
        no_arguments(rest)
        need_extension
        results = hashes.map { |hash| check(hash) }
        if @options[:json]
          print_json({ folder: target.directory, images: results })
        else
          results.each { |result| print_result(result) }
        end
        results.all? { |result| result[:whole] } ? 0 : 1
      end

      # If there is no image, this Ruby's key: the answer then says why there is none.
      def hashes
        found = Image::Inspector.key_hashes(target.directory)
        found.empty? ? [Native.key_hash(Image::Key.text)] : found
      end

      def check(hash)
        image = inspector(hash)
        return refused(hash, image) if image.problem

        damaged = image.damaged.map { |path, reason, message| { path: path, reason: reason, message: message } }
        # (opened again with the secret, because a damaged image would be reported as one made elsewhere)
        own = damaged.empty? ? inspector(hash, target.secret) : image
        return refused(hash, own) if own.problem

        {
          key: hash,
          whole: damaged.empty?,
          entries: image.code.size,
          documents: image.documents.size,
          size: image.size,
          damaged: damaged
        }
      end

      def inspector(hash, secret = nil)
        Image::Inspector.new(target.directory, **target.trust, key_hash: hash, secret: secret)
      end

      def refused(hash, image)
        {
          key: hash,
          whole: false,
          reason: image.problem,
          message: image.message,
          explanation: Image::Reasons.explain(image.problem),
          damaged: []
        }
      end

      def print_result(result)
        if result[:reason]
          return CLI.complain("#{result[:message]}: #{result[:explanation]}; #{remedy(result[:reason])}")
        end
        return puts(whole_line(result)) if result[:whole]

        result[:damaged].each { |entry| CLI.complain("#{entry[:message]}: the entry for #{entry[:path]} is damaged") }
        CLI.complain(
          "#{result[:damaged].size} of #{result[:entries] + result[:documents]} entries are damaged in " \
            "#{target.directory}; #{remedy(:checksum)}"
        )
      end

      def whole_line(result)
        files, documents = result.values_at(:entries, :documents).map { |count| Units.count(count) }
        "#{result[:key]}: whole, #{files} files, #{documents} documents, #{Units.bytes(result[:size])}"
      end

      def remedy(reason)
        case reason
        when :missing
          "run the program once, or 'warmstart build'"
        when :writable, :foreign_owner
          "correct its owner and mode, or run 'warmstart clear'"
        when :system, :memory, :unreadable
          "correct that, and try again"
        else
          "'warmstart clear' removes it, 'warmstart build' makes it anew"
        end
      end
    end
  end
end
