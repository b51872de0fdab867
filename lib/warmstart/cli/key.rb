# frozen_string_literal: true

require_relative "command"

module Warmstart
  module CLI
    # `warmstart key new`: makes a key that signs what is pushed into a store.
    #
    # `warmstart key`: a name for the cache of a CI system. It begins with all that decides whether an image can be used
    # at all (the format, this Ruby, its platform and encodings), and ends with the bundle: an image of another bundle
    # still serves the gems that both have, and the application's files.
    # @api private
    class Key < Command
      USAGE = "[OPTIONS]\n       warmstart key new FILE"
      ABOUT = <<~TEXT
        Prints a key under which a CI system can keep the image's folder (WARMSTART_CACHE_DIR): another Ruby, another platform or another
        Gemfile.lock makes another key. An image under a key that only begins alike is worth restoring, too: see --prefix.
        With `new`: makes an Ed25519 key that signs images for `warmstart push`, writes it to FILE, and prints the public key, a line for
        config/warmstart/trusted_keys.
      TEXT

      private

      def define(parser)
        parser.on("--prefix", "print only what must be the same for an image to be of any use")
        parser.on(*ROOT)
        parser.on("--json", "print both as JSON")
      end

      def execute(rest)
        return make(rest.drop(1)) if rest.first == "new"

        no_arguments(rest)
        need_extension
        prefix = "warmstart-#{Native.key_hash(Image::Key.text)}-"
        return puts(prefix) || 0 if @options[:prefix] && !@options[:json]

        key = "#{prefix}#{Native.key_hash(target.lockfile_text)}"
        @options[:json] ? print_json({ key: key, prefix: prefix }) : puts(key)
        0
      end

      def make(rest)
        require_relative "../stores/keys"
        usage_error("name the file for the private key") if rest.empty?
        no_arguments(rest.drop(1))
        path = FileNames.expand(rest.first)
        public = Stores::Keys::Signing.make(path).public
        line = "ed25519 #{public} #{File.basename(path).scrub("_")}"
        tell(line, path)
        CLI.complain("wrote the private key to #{path}; put the line above into config/warmstart/trusted_keys")
        0
      rescue Stores::Wrong => error
        raise Error.new(error.message, status: 2)
      rescue Stores::Trouble => error
        raise Error, error.message
      end

      # A private key without its public one is of no use, and would be in the way of the next try.
      def tell(line, path)
        @options[:json] ? print_json({ file: path, public: line }) : puts(line)
        $stdout.flush
      rescue SystemCallError
        File.delete(path)
        raise
      end
    end
  end
end
