# frozen_string_literal: true

require_relative "../boot/image_key"

module Warmstart
  module Image
    # Reads the images in one folder without using them: for `status`, `why`, `verify` and for merging. A folder may
    # hold images of several Rubies, one for each key.
    # @api private
    class Inspector
      MANIFEST = /\A(\h{16})\.manifest\z/

      class << self
        # @return [Array<String>] the hashes of the keys of all images in a folder
        def key_hashes(folder)
          Dir.children(folder).filter_map { |name| name[MANIFEST, 1] }.sort
        rescue SystemCallError
          []
        end

        # @return [Array<Inspector>] of all images in a folder that can be opened
        def images(folder, **options)
          key_hashes(folder).map { |hash| new(folder, key_hash: hash, **options) }.reject(&:problem)
        end
      end

      # problem: a Symbol (see Reasons), or nil if the image is open; message: a sentence about the problem.
      attr_reader :folder, :key_hash, :problem, :message

      # @param key_hash [String] 16 hexadecimal digits; that of this Ruby by default
      # @param owner [Integer, nil] as Location#owner
      # @param root [String, nil] the application's realpath, with which a sealed image is compared
      # @param secret [String, nil] as Location#secret
      # @param runs [String, nil] as Location#runs
      def initialize(folder, key_hash: nil, owner: nil, root: nil, secret: nil, runs: nil)
        @folder = folder
        @key_hash = key_hash || Native.key_hash(Key.text)
        @trust = [owner, secret, runs]
        image = Native::Image.open(folder, @key_hash, owner, root, secret, runs)
        image.is_a?(Array) ? (@problem, @message = image) : @image = image
      end

      def manifest = @manifest ||= @image.manifest
      def segments = @segments ||= @image.segments
      def key = segments.first.fetch(:key)
      def load_path = @image.load_path
      # {path:, key:, document: nil for code, else the call that loaded the document, ...} each. One file may be several
      # documents.
      def entries = @entries ||= @image.entries
      def code = entries.reject { |entry| entry.fetch(:document) }
      def documents = entries.select { |entry| entry.fetch(:document) }
      def find(key) = @image.find(key)
      def freshness(key) = @image.freshness(key)
      # Would Ruby, at the present warning level, not warn about the file of this entry?
      def silent?(entry) = Native::Image.silent?(entry.fetch(:warning_level))
      # :stored, or why the document is not stored (:tags, :not_plain).
      def document_kind(key) = @image.document_kind(key)
      # Why the content of an entry is damaged, or nil.
      def damaged_entry(key) = @image.verify(key)&.first
      def size = segments.sum { |segment| segment.fetch(:size) }

      # Nothing more is asked from then on. (Needed where the image's folder is to be removed: Windows keeps what is
      # mapped.)
      def close = @image&.close

      # The records of Bundler's setup, one for each situation.
      # @return [Array<Hash>] the content of each Bundle::Record; with :not_recorded if Bundler has to set up the bundle
      #   itself
      def records
        ids = Dir.children(folder).filter_map { |name| name[/\A#{key_hash}-(\h{16})\.record\z/, 1] }.sort
        ids.filter_map { |id| record(id) }
      rescue SystemCallError
        []
      end

      # The figures of the index that is in use, which is the newest one.
      # @return [Hash{Symbol => Integer}, nil]
      def index
        segment = segments.reverse.find { |candidate| candidate.fetch(:load_path_entries).positive? }
        segment&.slice(:features, :load_path_entries, :directories)
      end

      # The statistics of the last boot that recorded something.
      # @return [Hash, nil] {program:, created:, counts: {"hit" => 3}, reasons: {"miss.not_recorded" => 2}, ways:
      #   {"path.alias" => 1}, governor: {"step" => "112"}, boot_sizes: {"rails" => 1}, adopted: {"taken" => 7}}
      def last_boot
        segment = segment_with_statistics or return
        facts = segment.fetch(:statistics).lines(chomp: true).to_h { |line| line.partition(" ").values_at(0, 2) }
        facts.delete("")
        program = facts.delete("program")
        ways, governor, sizes, adopted =
          %w[way. governor. boot_size. adopted.].map do |prefix|
            names = facts.keys.select { |name| name.start_with?(prefix) }
            names.to_h { |name| [name.delete_prefix(prefix), facts.delete(name)] }
          end
        reasons, counts =
          facts.partition { |name, _| name.include?(".") }.map { |pairs| pairs.to_h.transform_values(&:to_i) }
        {
          program: program,
          created: segment.fetch(:created),
          counts: counts,
          reasons: reasons,
          ways: ways.transform_values(&:to_i),
          governor: governor,
          boot_sizes: sizes.transform_values(&:to_i),
          adopted: adopted.transform_values(&:to_i)
        }
      end

      # @return [String, nil] the same as text
      def statistics = segment_with_statistics&.fetch(:statistics)

      # Compares every payload's checksum. (Those of the tables are compared when the image is opened.)
      # @return [Array<Array(String, Symbol, String)>] path, reason, message of what is damaged
      def damaged
        entries.filter_map do |entry|
          reason, message = @image.verify(entry.fetch(:key))
          [entry.fetch(:path), reason, message] if reason
        end
      end

      private

      def record(id)
        bytes = Native::Image.record(folder, key_hash, id, *@trust)
        content = Marshal.load(bytes) unless bytes.to_s.empty?
        content if content.is_a?(Hash)
      rescue TypeError, ArgumentError
        nil
      end

      def segment_with_statistics = segments.reverse.find { |segment| !segment.fetch(:statistics).empty? }
    end
  end
end
