# frozen_string_literal: true

require_relative "pieces"
require_relative "push"

module Warmstart
  module Stores
    # Gets an image from a store. Nothing that the store says is believed: the list must be signed by a trusted key and be
    # for this application and this key, and each piece must have the digest that the list names, before any of it is
    # written.
    # @api private
    class Pull
      # How many images of other bundles are looked at.
      NEAREST = 5

      Result = Struct.new(:pieces, :fetched_pieces, :fetched_size, keyword_init: true)

      # @param wanted [Hash] :application, :key and :bundle of the image, and :gems of the bundle
      # @param trusted [Keys::Trusted, nil] nil: signatures do not matter
      # @param limit [Integer] the largest image, in bytes
      def initialize(store, wanted:, trusted:, limit:)
        @store = store
        @wanted = wanted
        @trusted = trusted
        @limit = limit
        @unfit = []
      end

      # @return [List] of the image for the same bundle, or else of the one with most gems in common
      # @raise [Trouble] there is none
      def list
        own = read(@wanted[:bundle]) and return own

        nearest.each { |bundle| (other = read(bundle)) and return other }
        raise Trouble, @unfit.first if @unfit.any?

        raise Trouble,
              "#{@store} has no image of #{@wanted[:application]} for this Ruby (--application names another one)"
      end

      # Writes the files of the image into a folder, which is empty.
      # @param present [Hash{String => String}] pieces that are here already
      # @return [Result]
      def fetch(list, folder, present = {})
        fetched = Queue.new
        open_files(list, folder) do |places|
          Stores.in_parallel(places.to_a) do |digest, runs|
            bytes = present[digest]
            fetched << get(list, digest) { |piece| bytes = piece } unless bytes
            write(bytes, runs)
          end
        end
        sizes = Array.new(fetched.size) { fetched.pop }
        Result.new(pieces: list.pieces.size, fetched_pieces: sizes.size, fetched_size: sizes.sum)
      end

      private

      # @return [List, nil] nil: there is none, or it is of no use here
      def read(bundle)
        name = Stores.list(@wanted[:key], @wanted[:application], bundle)
        stored = @store.read(name, LIST_LIMIT) or return
        List.read(
          Stores.uncompress(stored, LIST_LIMIT) || raise(List::Unfit, "is damaged"),
          trusted: @trusted,
          limit: @limit,
          expected: {
            application: @wanted[:application],
            key: @wanted[:key],
            bundle: bundle
          }
        )
      rescue List::Unfit => error
        @unfit << "the image #{name} in #{@store} #{error.message}"
        nil
      end

      # @return [Array<String>] the other bundles with gems in common, those with most of them and the newest first
      def nearest
        rows = Index.new(@store, @wanted[:key], @wanted[:application]).rows
        common = rows.each_with_index.map { |(bundle, gems), age| [-(gems & @wanted[:gems]).size, age, bundle] }
        common.sort.map(&:last).grep_v(@wanted[:bundle]).first(NEAREST)
      end

      # Yields {digest => [[file, position in the file, position in the piece, size], ...]}.
      def open_files(list, folder)
        files = {}
        places = Hash.new { |hash, digest| hash[digest] = [] }
        list.files.each do |name, runs|
          files[name] = File.open(
            File.join(folder, name),
            File::WRONLY | File::CREAT | File::EXCL | File::BINARY,
            0o600
          )
          position = 0
          runs.each do |digest, offset, size|
            places[digest] << [files[name], position, offset, size]
            position += size
          end
        end
        yield places
        files.each_value(&:close)
      rescue SystemCallError => error
        raise Trouble, "cannot write the image: #{Stores.reason(error)}"
      ensure
        files.each_value { |file| close(file) }
      end

      # (Where the disk is full, the failure has been raised already.)
      def close(file)
        file.close
      rescue SystemCallError
        nil
      end

      WRITING = Mutex.new
      private_constant :WRITING

      def write(bytes, runs)
        WRITING.synchronize do
          runs.each do |file, position, offset, size|
            file.seek(position)
            file.write(bytes.byteslice(offset, size))
          end
        end
      end

      # Yields the piece.
      # @return [Integer] its size as it came
      def get(list, digest)
        size = list.pieces.fetch(digest)
        name = Stores.piece(digest)
        packed = @store.read(name, Stores.packed_limit(size)) or
          raise Trouble, "#{@store} lacks #{name}; push the image again"
        bytes = Stores.uncompress(packed, size)
        unless bytes && bytes.bytesize == size && Stores.digest(bytes) == digest
          raise Trouble, "#{name} in #{@store} is damaged; push the image again with --force"
        end
        yield bytes
        packed.bytesize
      end
    end
  end
end
