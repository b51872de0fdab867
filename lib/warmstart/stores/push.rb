# frozen_string_literal: true

require_relative "list"
require_relative "pieces"

module Warmstart
  module Stores
    # Puts an image into a store: first the pieces that are missing there, then the list of all, then the index. So a push
    # that stops half-way has only left pieces that nothing names, and pushes at once write the same pieces or lists of
    # their own.
    # @api private
    class Push
      # Counts of pieces and bytes: all, and what was sent (compressed, with the list).
      Result = Struct.new(:pieces, :size, :sent_pieces, :sent_size, keyword_init: true)

      # @param key [Keys::Signing, nil] nil: it is not signed
      # @param all [Boolean] also sends the pieces that are there (one may be damaged)
      def initialize(store, key:, all: false)
        @store = store
        @key = key
        @all = all
      end

      # @param files [Hash{String => String}] names and bytes
      # @param facts [Hash] the list's fields but for pieces and files
      # @return [Result]
      def run(files, facts)
        cut = Pieces.new(files)
        sizes = send_pieces(cut.pieces)
        list = List.new(**facts, pieces: cut.pieces.transform_values(&:bytesize), files: cut.files)
        stored = Stores.compress(sign(list.text))
        @store.write(Stores.list(list.key, list.application, list.bundle), stored)
        Index.new(@store, list.key, list.application).add(list)
        Result.new(
          pieces: cut.pieces.size,
          size: list.size,
          sent_pieces: sizes.size,
          sent_size: sizes.sum + stored.bytesize
        )
      end

      private

      # @return [Array<Integer>] the compressed sizes of those that were sent
      def send_pieces(pieces)
        sent = Queue.new
        Stores.in_parallel(pieces.to_a) do |digest, bytes|
          name = Stores.piece(digest)
          next if !@all && @store.has?(name)

          packed = Stores.compress(bytes)
          @store.write(name, packed)
          sent << packed.bytesize
        end
        Array.new(sent.size) { sent.pop }
      end

      def sign(text) = @key ? text + @key.sign(text) : text
    end

    # The images of one application for one Ruby, the newest first: [[bundle, gems], ...]. By it a pull finds the nearest
    # one. It is not signed: it only tells which lists to look at. Of two pushes at once one may be lost here, which costs
    # at most a nearer image.
    # @api private
    class Index
      # How many images it names.
      MOST = 100

      def initialize(store, key, application)
        @store = store
        @name = Stores.index(key, application)
      end

      # @return [Array<Array(String, Array<String>)>] [] if there is none, or what is there is none
      def rows
        rows = JSON.parse(@store.read(@name, INDEX_LIMIT) || "[]", max_nesting: 4)
        rows.select do |row|
          bundle, gems = row
          bundle.is_a?(String) && bundle.match?(/\A\h{16}\z/) && gems.is_a?(Array)
        end
      rescue JSON::ParserError, EncodingError, TypeError, NoMethodError
        []
      end

      def add(list)
        others = rows.reject { |bundle, _| bundle == list.bundle }
        write([[list.bundle, list.gems], *others].first(MOST))
      end

      def remove(bundles)
        kept = rows.reject { |bundle, _| bundles.include?(bundle) }
        kept.empty? ? @store.remove(@name) : write(kept)
      end

      private

      def write(rows) = @store.write(@name, JSON.generate(rows))
    end
  end
end
