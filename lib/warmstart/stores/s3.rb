# frozen_string_literal: true

require "stringio"

require_relative "store"

begin
  require "aws-sdk-s3"
rescue LoadError
  raise Warmstart::Stores::Trouble,
        "an s3 store needs the gem aws-sdk-s3; install it, or add it to the Gemfile if Bundler runs this command"
end

module Warmstart
  module Stores
    # A store in a bucket of S3, or of a service like it: s3://BUCKET/PREFIX. Who we are and where the service is, the gem
    # aws-sdk-s3 finds out as it does for any program (AWS_PROFILE, AWS_ACCESS_KEY_ID, AWS_REGION, AWS_ENDPOINT_URL_S3, the
    # machine's role ...). It also tries again what may pass.
    # @api private
    class S3
      include TimeLimit

      CONNECT, WAIT, RETRIES = 10, 15, 3
      # The service may take away files that are read while prune lists others.
      MISSING = [Aws::S3::Errors::NoSuchKey, Aws::S3::Errors::NotFound].freeze

      def initialize(address, seconds:)
        @bucket, prefix = address.match(%r{\A[sS]3://([^/]+)/?(.*?)/*\z})&.captures
        raise Wrong, "#{address}: an s3 store is s3://BUCKET/PREFIX" unless @bucket

        @prefix = prefix.empty? ? "" : "#{prefix}/"
        limit_time(seconds)
        @client = asked { Aws::S3::Client.new(**options) }
      end

      def to_s = "s3://#{@bucket}/#{@prefix}".chomp("/")

      def own? = false

      # Takes what the service sends, up to a limit. (After a block that has got a part, the gem does not try again.)
      class Bounded < StringIO
        def initialize(limit)
          super("".b)
          @limit = limit
        end

        def write(part)
          raise Trouble, "a file is larger than it can be" if pos + part.bytesize > @limit

          super
        end

        # Before another try.
        def truncate(size) = super.tap { rewind }
      end

      def read(name, limit)
        asked(name) do
          body = Bounded.new(limit)
          @client.get_object(bucket: @bucket, key: @prefix + name, response_target: body)
          body.string
        end
      end

      def has?(name)
        asked(name) { @client.head_object(bucket: @bucket, key: @prefix + name).content_length.to_i.positive? } || false
      end

      def write(name, bytes)
        asked(name) { @client.put_object(bucket: @bucket, key: @prefix + name, body: bytes) }
      end

      def files
        asked do
          @client
            .list_objects_v2(bucket: @bucket, prefix: @prefix)
            .flat_map do |page|
              page.contents.map { |file| [file.key.delete_prefix(@prefix), file.size, file.last_modified] }
            end
        end
      end

      def remove(name)
        asked(name) { @client.delete_object(bucket: @bucket, key: @prefix + name) }
      end

      # (A file is there as a whole, or not at all.)
      def sweep = nil

      private

      # Services that are not Amazon's have the bucket in the path, and seldom know its newest checksums.
      def options
        waits = { http_open_timeout: CONNECT, http_read_timeout: WAIT, retry_limit: RETRIES }
        return waits unless ENV["AWS_ENDPOINT_URL_S3"] || ENV["AWS_ENDPOINT_URL"]

        known = Aws::S3::Client.new(stub_responses: true).config
        sums = %i[request_checksum_calculation response_checksum_validation].select { |name| known.respond_to?(name) }
        { **waits, force_path_style: true, **sums.to_h { |name| [name, "when_required"] } }
      end

      # @return [Object, nil] nil: there is no such file
      def asked(name = nil, &)
        within_time(&)
      rescue *MISSING
        nil
      rescue Timeout::Error
        raise too_slow
      rescue Aws::S3::Errors::NoSuchBucket
        raise Trouble, "there is no bucket #{@bucket}"
      rescue StandardError => error
        # (Missing credentials, answers that are no XML, names that are no names: the gem raises errors of many kinds.)
        message = error.message.lines.first.to_s.chomp
        raise Trouble, "#{self}: #{message.empty? ? error.class.name : message}#{" (#{name})" if name}"
      end
    end
  end
end
