# frozen_string_literal: true

require_relative "push"

module Warmstart
  module Stores
    # Removes images from a store: those that are too old, then the oldest ones until the store is small enough, then the
    # pieces that no list names.
    # @api private
    class Prune
      # A piece that is younger may belong to a push under way, whose list is still to come.
      YOUNG_SECONDS = 3600

      # Counts, and the bytes of what was removed and of what is left.
      Result = Struct.new(:images, :pieces, :size, :left_images, :left_size, keyword_init: true)

      # @param older_than [Integer, nil] seconds
      # @param maximum_size [Integer, nil] bytes
      def initialize(store, older_than:, maximum_size:, dry_run: false, now: Time.now)
        @store = store
        @older_than = older_than
        @maximum_size = maximum_size
        @dry_run = dry_run
        @now = now
      end

      # @return [Result]
      def run
        files = @store.files
        sizes = files.to_h { |name, size, _| [name, size] }
        lists = files.select { |name, _, _| name.match?(LIST) }.sort_by { |name, _, time| [-time.to_f, name] }
        named = lists.to_h { |name, _, _| [name, pieces_of(name)] }
        kept = kept(lists, named, sizes)
        gone = named.keys - kept
        remove_lists(gone)
        pieces = remove_pieces(named, kept)
        @store.sweep unless @dry_run
        removed = [*gone, *pieces].sum { |name| sizes.fetch(name, 0) }
        Result.new(
          images: gone.size,
          pieces: pieces.size,
          size: removed,
          left_images: kept.size,
          left_size: sizes.values.sum - removed
        )
      end

      private

      # @return [Array<String>] the names of the pieces of a list; [] where it is no list
      def pieces_of(name)
        stored = Stores.uncompress(@store.read(name, LIST_LIMIT).to_s, LIST_LIMIT)
        facts = JSON.parse(stored.to_s.lines.first.to_s, max_nesting: 8)
        facts.fetch("pieces").map { |digest, _| Stores.piece(digest) }
      rescue JSON::ParserError, EncodingError, KeyError, TypeError, NoMethodError
        []
      end

      # @param lists [Array] newest first
      def kept(lists, named, sizes)
        seen = {}
        total = 0
        lists
          .take_while do |name, size, time|
            next false if @older_than && @now - time > @older_than

            fresh = named.fetch(name).reject { |piece| seen[piece] }
            fresh.each { |piece| seen[piece] = true }
            total += size + fresh.sum { |piece| sizes.fetch(piece, 0) }
            @maximum_size.nil? || total <= @maximum_size
          end
          .map(&:first)
      end

      def remove_lists(names)
        return if @dry_run

        names.each { |name| @store.remove(name) }
        names
          .group_by { |name| File.dirname(name) }
          .each do |folder, lists|
            _, key, application = folder.split("/")
            Index.new(@store, key, application).remove(lists.map { |name| File.basename(name) })
          end
      end

      # (The store is listed again: of a push that has gone on meanwhile, the pieces are young, or a new list names them.)
      def remove_pieces(named, kept)
        files = @store.files
        new = files.map(&:first).grep(LIST) - named.keys
        needed = [*kept.map { |name| named.fetch(name) }, *new.map { |name| pieces_of(name) }].flatten
        needed = needed.to_h { |name| [name, true] }
        old = files.select { |name, _, time| name.match?(PIECE) && !needed[name] && @now - time > YOUNG_SECONDS }
        old.each { |name, _, _| @store.remove(name) } unless @dry_run
        old.map(&:first)
      end
    end
  end
end
