# frozen_string_literal: true

require_relative "store"

module Warmstart
  module Stores
    # Ed25519 keys: the private one signs what is pushed, public ones tell whose images are taken.
    #
    # A private key is a PEM file that OpenSSL and other programs read. A public key is a line: `ed25519 BASE64 COMMENT`.
    # @api private
    module Keys
      LINE = %r{\Aed25519 ([A-Za-z0-9+/]{43}=)(?: +(.*))?\z}
      # What stands before the 32 bytes of a public key in its DER form (RFC 8410).
      HEAD = ["302a300506032b6570032100"].pack("H*").freeze
      # A signature is of this and the text, so that a key that signs other things, too, does not sign these by accident.
      DOMAIN = "warmstart image\n"

      # A private key.
      class Signing
        # @param given [String] the path of a file, or the key itself in PEM (as from a secret of a CI system)
        def self.read(given)
          return new(given, "the key") if given.include?("PRIVATE KEY-----")

          text, stat = Stores.read_file(given)
          if File::ALT_SEPARATOR.nil? && stat.mode.anybits?(0o077)
            raise Wrong,
                  "others can read the private key #{given}; make a new one (the old one may be known), or chmod 600"
          end
          new(text, given)
        end

        # @return [Signing] whose key was written to a new file
        def self.make(path)
          key = OpenSSL::PKey.generate_key("ED25519")
          File.open(path, File::WRONLY | File::CREAT | File::EXCL, 0o600) do |file|
            file.write(key.private_to_pem)
            file.flush
          rescue SystemCallError
            File.delete(path)
            raise
          end
          new(key.private_to_pem, path)
        rescue Errno::EEXIST
          raise Wrong, "#{path} is there already; a key is never overwritten"
        rescue SystemCallError => error
          raise Trouble, "cannot write #{path}: #{Stores.reason(error)}"
        end

        def initialize(pem, name)
          # (with a password given, OpenSSL does not ask for one)
          @key = OpenSSL::PKey.read(pem, "")
          raise Wrong, "#{name} is no private Ed25519 key" unless @key.oid == "ED25519"

          @key.private_to_pem # raises where it is a public one
        rescue OpenSSL::PKey::PKeyError
          raise Wrong, "#{name} is no private Ed25519 key; 'warmstart key new FILE' makes one"
        end

        # @return [String] the public key's BASE64
        def public = [@key.public_to_der[-32..]].pack("m0")

        # @return [String] a line: the public key and the signature
        def sign(text) = "ed25519 #{public} #{[@key.sign(nil, DOMAIN + text)].pack("m0")}\n"
      end

      # Public keys.
      class Trusted
        def initialize
          @keys = {}
        end

        # @param given [String] a line, several lines, or the path of a file with lines
        def add(given)
          given.start_with?("ed25519 ") ? add_lines(given, "the trusted keys") : add_file(given)
        end

        def add_file(path)
          text, stat = Stores.read_file(path)
          raise Wrong, "everybody can write to #{path}, so it is not used" if stat.world_writable?

          add_lines(text, path)
        end

        def empty? = @keys.empty?

        # @param signatures [Array<String>] lines as from Signing#sign
        # @return [Boolean] whether one of these keys has signed the text
        def signed?(text, signatures)
          signatures.any? do |line|
            _, key, signature = line.split
            public = @keys[key] or next
            public.verify(nil, signature.to_s.unpack1("m"), DOMAIN + text)
          end
        rescue OpenSSL::PKey::PKeyError
          false
        end

        private

        def add_lines(text, where)
          text
            .b
            .split(/[\n,]/)
            .map(&:strip)
            .each do |line|
              next if line.empty? || line.start_with?("#")

              key = line[LINE, 1] or raise Wrong, "#{where}: not a public key: #{line[0, 60]}"
              @keys[key] = OpenSSL::PKey.read(HEAD + key.unpack1("m"))
            end
        rescue OpenSSL::PKey::PKeyError
          raise Wrong, "#{where} holds a key that is none"
        end
      end
    end
  end
end
