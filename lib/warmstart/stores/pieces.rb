# frozen_string_literal: true

require_relative "store"
require_relative "../image/inspector"

module Warmstart
  module Stores
    # Cuts the files of an image into pieces. What an image keeps of a gem's files is in pieces of its own, in the order
    # of the files' names, so that the images of several applications, and the next image of the same one, have these
    # pieces in common. The tables, which differ in each image, are a piece of each segment.
    #
    # Only the tables of a segment are read here (docs/image_format.md); its bytes are cut and never changed.
    # @api private
    class Pieces
      GEM = %r{\A.*/gems/[^/]+-[^/]+/}
      ENTRY, ALIGNMENT = 128, 16
      # A piece ends behind one of sixteen files (which one, its name decides, so that a new file shifts no other piece),
      # once it has LEAST bytes; and in any case before it has more than MOST.
      LEAST, MOST, ONE_OF = 64 << 10, 1 << 20, 16

      # pieces: {digest => bytes}; files: {name => [[digest, offset, size], ...]}: a file is these parts of pieces, one
      # after the other.
      attr_reader :files, :pieces

      # @param files [Hash{String => String}] names and bytes
      def initialize(files)
        @files = {}
        @pieces = {}
        files.each { |name, bytes| @files[name] = name.end_with?(".segment") ? cut(bytes) : whole(bytes) }
      end

      # @return [Hash{String => String}] the files of an image: its manifest, its segments, its records
      # @raise [Trouble] it has just been removed
      def self.read(folder, key)
        tries ||= 0
        manifest = File.binread(File.join(folder, "#{key}.manifest"))
        names = manifest.scan(/^segment (\h{16}) /).map { |id,| "#{key}-#{id}.segment" }
        files = { "#{key}.manifest" => manifest }
        names.each { |name| files[name] = File.binread(File.join(folder, name)) }
        records = Dir.children(folder).grep(/\A#{key}-\h{16}\.record\z/).sort
        records.each { |name| files[name] = File.binread(File.join(folder, name)) }
        files
      rescue Errno::ENOENT => error
        # A boot has published a new image meanwhile. (A segment never changes, so what was read belongs together.)
        retry if (tries += 1) < 5
        raise Trouble, "cannot read the image in #{folder}: #{Stores.reason(error)}"
      rescue SystemCallError => error
        raise Trouble, "cannot read the image in #{folder}: #{Stores.reason(error)}"
      end

      private

      def add(bytes)
        digest = Stores.digest(bytes)
        @pieces[digest] = bytes
        digest
      end

      def whole(bytes) = [[add(bytes), 0, bytes.bytesize]]

      def cut(bytes)
        payloads = payloads_of(bytes)
        runs = []
        payloads
          .group_by { |path, _, _| path[GEM] || "" }
          .each_value { |group| chunks(group.sort).each { |chunk| add_chunk(bytes, chunk, runs) } }
        add_rest(bytes, runs.sort!)
        runs.sort!.map { |_, digest, offset, size| [digest, offset, size] }
      end

      # @return [Array<Array(String, Integer, Integer)>] path, and where its payload lies in the file, with its padding
      def payloads_of(bytes)
        sections = bytes.byteslice(64, 24 * 16).unpack("Q<*").each_slice(3).to_a
        (_, strings, entries), (area,) = sections.first(3), sections[12]
        end_of_last = 0
        rows = Array.new(entries[1] / ENTRY) { |number| bytes.byteslice(entries[0] + (number * ENTRY), ENTRY) }
        rows
          .filter_map do |row|
            path_offset, path_size = row.unpack("x8L<L<")
            segment, offset, size = row.unpack("x80Q<Q<Q<")
            next if segment.positive? || size.zero?

            [area + offset, size + (-size % ALIGNMENT), bytes.byteslice(strings[0] + path_offset, path_size)]
          end
          .sort
          .filter_map do |offset, size, path|
            next if offset < end_of_last || offset + size > bytes.bytesize

            end_of_last = offset + size
            [path, offset, size]
          end
      end

      def chunks(payloads)
        size = 0
        payloads.slice_when do |(path, _, before), (_, _, after)|
          size += before
          full = size + after > MOST || (size >= LEAST && (Zlib.crc32(path) % ONE_OF).zero?)
          size = 0 if full
          full
        end
      end

      def add_chunk(bytes, payloads, runs)
        digest = add(payloads.map { |_, offset, size| bytes.byteslice(offset, size) }.join)
        position = 0
        payloads.each do |_, offset, size|
          runs << [offset, digest, position, size]
          position += size
        end
      end

      # Everything between the payloads: the header, the tables.
      def add_rest(bytes, runs)
        gaps = []
        position = 0
        runs.each do |offset, _, _, size|
          gaps << [nil, position, offset - position] if offset > position
          position = offset + size
        end
        gaps << [nil, position, bytes.bytesize - position] if bytes.bytesize > position
        add_chunk(bytes, gaps, runs) if gaps.any?
      end
    end
  end
end
