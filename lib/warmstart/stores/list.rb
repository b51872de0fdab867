# frozen_string_literal: true

require "json"

require_relative "store"

module Warmstart
  module Stores
    # What a store knows of one image: whose it is, and of which pieces its files consist. It is what is signed. A text:
    # one line of JSON, and below it a line for each signature of that first line.
    #
    # application: its name; key and bundle: 16 digits; root: the application's folder where the image was made; time: of
    # the push, milliseconds since 1970; gems: ["rack-3.1.8"]; pieces: {digest => size in bytes}; files: {name => [[digest,
    # offset, size], ...]}
    # @api private
    class List < Struct.new(:application, :key, :bundle, :root, :time, :gems, :pieces, :files, keyword_init: true)
      FORMAT = 1
      DIGEST = /\A\h{64}\z/
      FILE = /\A(?<key>\h{16})(?:\.manifest|-\h{16}\.(?:segment|record))\z/
      # Bytes that an image may have beside WARMSTART_MAXIMUM_SIZE: a compaction may still be due, and there are records.
      SURPLUS = 64 << 20
      FILES, PIECES, RUNS = 500, 200_000, 2_000_000

      # What makes it of no use here; the message is a part of a line.
      class Unfit < StandardError
      end

      # @return [String] the line that is signed
      def text
        numbers = pieces.keys.each_with_index.to_h
        JSON.generate(
          {
            format: FORMAT,
            application: application,
            key: key,
            bundle: bundle,
            root: root,
            time: time,
            gems: gems,
            pieces: pieces.to_a,
            files: files.map { |name, runs| [name, runs.map { |digest, *place| [numbers.fetch(digest), *place] }] }
          }
        ) + "\n"
      end

      # @return [Time] of the push
      def pushed = Time.at(0, time, :millisecond)

      # @return [Integer] of all files, in bytes
      def size = files.each_value.sum { |runs| runs.sum(&:last) }

      def segments = files.keys.grep(/\.segment\z/)

      class << self
        # Reads a list that somebody has put into a store. Its numbers are compared with one another and with `limit`
        # before anything is done by them.
        # @param stored [String]
        # @param trusted [Keys::Trusted, nil] nil: signatures do not matter
        # @param limit [Integer] the largest image, in bytes
        # @param expected [Hash] values of :application, :key and, if it is known, :bundle
        # @raise [Unfit]
        def read(stored, trusted:, limit:, expected:)
          text, *signatures = stored.lines
          if trusted && !trusted.signed?(text.to_s, signatures)
            raise Unfit, signatures.empty? ? "is not signed" : "is signed by no key that is trusted here"
          end
          parse(text.to_s, limit).tap do |list|
            expected.each do |name, value|
              found = list.public_send(name)
              raise Unfit, "is for another #{name} (#{found[0, 100]})" unless found == value
            end
          end
        end

        private

        def parse(text, limit)
          facts = JSON.parse(text, max_nesting: 8)
          need(facts.is_a?(Hash))
          unless facts["format"] == FORMAT
            raise Unfit, "was made by a newer version of Warmstart (its format is #{facts["format"].to_s[0, 20]})"
          end
          pieces = facts["pieces"]
          need(pieces.is_a?(Array) && pieces.size.between?(1, PIECES))
          largest = limit + SURPLUS
          pieces.each do |digest, size|
            need(DIGEST.match?(text_of(digest)) && size.is_a?(Integer) && size.between?(1, largest))
          end
          list = new(**simple(facts), pieces: pieces.to_h, files: files(facts["files"], pieces))
          need(list.files.keys.all? { |name| name[FILE, :key] == list.key })
          raise Unfit, "is larger than WARMSTART_MAXIMUM_SIZE" if list.size > largest

          list
        rescue JSON::ParserError, EncodingError, TypeError
          raise Unfit, "is damaged"
        end

        def simple(facts)
          words = %w[application key bundle root].to_h { |name| [name.to_sym, text_of(facts[name])] }
          need(facts["time"].is_a?(Integer) && facts["time"].between?(0, 1 << 50) && facts["gems"].is_a?(Array))
          { **words, time: facts["time"], gems: facts["gems"].map { |name| text_of(name) } }
        end

        # Each run must lie inside its piece.
        def files(rows, pieces)
          need(rows.is_a?(Array) && rows.size.between?(2, FILES))
          count = 0
          rows.to_h do |name, runs|
            need(FILE.match?(text_of(name)) && runs.is_a?(Array) && (count += runs.size) <= RUNS)
            [name, runs.map { |number, offset, size| run(pieces, number, offset, size) }]
          end
        end

        def run(pieces, number, offset, size)
          need([number, offset, size].all? { |value| value.is_a?(Integer) && value >= 0 })
          digest, whole = pieces[number]
          need(!digest.nil? && offset + size <= whole)
          [digest, offset, size]
        end

        def text_of(value) = value.is_a?(String) ? value : need(false)

        def need(condition) = condition || raise(Unfit, "is damaged")
      end
    end
  end
end
