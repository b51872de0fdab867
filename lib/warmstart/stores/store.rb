# frozen_string_literal: true

require "openssl"
require "timeout"
require "zlib"

require_relative "../file_names"

module Warmstart
  # Images in a place that a team and its machines share: a folder, a web server, an object store. docs/deploying.md,
  # "A store for a team", has the use, docs/image_format.md, "In a store", the layout.
  #
  # A store keeps files under names and knows nothing of images. Each class of stores has the same methods:
  #
  #   read(name, limit)  -> String, or nil if there is no such file; raises Trouble if it has more than `limit` bytes
  #   has?(name)         -> whether there is such a file (asked of pieces; where it can, it makes the file young)
  #   write(name, bytes) -> replaces the file as a whole, or leaves it as it was
  #   files              -> [[name, size in bytes, time of the last write], ...]; raises Trouble if it cannot list
  #   remove(name)
  #   sweep              removes what writes that were killed have left
  #   to_s               -> its address, without a password
  # @api private
  module Stores
    # Something outside is not as it should be: exit status 1.
    class Trouble < StandardError
    end

    # What the user has given makes no sense: exit status 2.
    class Wrong < StandardError
    end

    # The largest list and index that are read, in bytes. (A list of 12,000 files has half a megabyte.)
    LIST_LIMIT = 16 << 20
    INDEX_LIMIT = 4 << 20

    # Requests under way at a time. More do not make a web server near by faster; fewer wait for one far away.
    THREADS = 6

    # For stores that are asked over a network: how long all that they are asked may take together.
    module TimeLimit
      private

      def limit_time(seconds)
        @seconds = seconds
        @deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds
      end

      # @return [Float] seconds
      def left = @deadline - Process.clock_gettime(Process::CLOCK_MONOTONIC)

      def too_slow = Trouble.new("#{self} takes longer than #{@seconds} seconds (--timeout)")

      # Raises Timeout::Error if the block takes longer than there is time.
      def within_time(&)
        raise too_slow unless left.positive?

        Timeout.timeout(left, &)
      end
    end

    PIECE = %r{\Apieces/\h\h/\h{64}\z}
    LIST = %r{\Aimages/\h{16}/[^/]+/\h{16}\z}

    class << self
      # @param address [String] as on the command line
      # @param seconds [Numeric] how long everything that is asked of the store may take together
      def open(address, seconds:)
        scheme = address[%r{\A([a-z][a-z0-9+.-]*)://}i, 1]&.downcase
        case scheme
        when nil
          require_relative "folder"
          Folder.new(FileNames.expand(address))
        when "http", "https"
          require_relative "http"
          HTTP.new(address, seconds: seconds)
        when "s3"
          require_relative "s3"
          S3.new(address, seconds: seconds)
        else
          raise Wrong, "a store is a folder, or an address with http, https or s3, and not #{scheme}://"
        end
      end

      def piece(digest) = "pieces/#{digest[0, 2]}/#{digest}"
      def list(key, application, bundle) = "images/#{key}/#{application}/#{bundle}"
      def index(key, application) = list(key, application, "index")

      # @return [String] 64 hexadecimal digits
      def digest(bytes) = OpenSSL::Digest::SHA256.hexdigest(bytes)

      def compress(bytes) = Zlib.deflate(bytes, 6)

      # @param limit [Integer] bytes
      # @return [String, nil] nil: it is not whole, is damaged, or expands to more than that
      def uncompress(packed, limit)
        inflater = Zlib::Inflate.new
        bytes = +"".b
        # (in steps, so that a small file that expands to gigabytes is given up early)
        offset = 0
        while offset < packed.bytesize && !inflater.finished?
          inflater.inflate(packed.byteslice(offset, 1 << 14)) do |part|
            bytes << part
            break if bytes.bytesize > limit
          end
          return if bytes.bytesize > limit

          offset += 1 << 14
        end
        bytes if inflater.finished?
      rescue Zlib::Error
        nil
      ensure
        inflater&.reset # (or close would warn about what was given up)
        inflater&.close
      end

      # No compressed form of so many bytes is larger.
      def packed_limit(size) = size + (size >> 10) + 256

      # Yields each item, in a few threads. The first failure ends all of them and is raised.
      def in_parallel(items, threads: THREADS)
        queue = Queue.new
        items.each { |item| queue << item }
        queue.close
        failures = Queue.new
        workers =
          Array.new([threads, items.size].min) do
            Thread.new do
              while failures.empty? && (item = queue.pop)
                yield item
              end
            rescue StandardError => error
              failures << error
            end
          end
        workers.each(&:join)
        raise failures.pop unless failures.empty?
      ensure
        workers&.each(&:kill)
      end

      # A small file that the user has named: a key, a token. A device or a pipe would never end.
      # @param limit [Integer] bytes
      def read_file(path, limit = 1 << 16)
        File.open(path, File::RDONLY | (defined?(File::NONBLOCK) ? File::NONBLOCK : 0) | File::BINARY) do |file|
          raise Wrong, "#{path} is not a regular file" unless file.stat.file?
          raise Wrong, "#{path} is larger than #{limit} bytes" if file.stat.size > limit

          [file.read(limit).to_s, file.stat]
        end
      rescue SystemCallError => error
        raise Wrong, "cannot read #{path}: #{reason(error)}"
      end

      # What the system says of a failure, without the path.
      # @param error [SystemCallError]
      def reason(error) = error.class.new.message
    end
  end
end
