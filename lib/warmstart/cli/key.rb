# frozen_string_literal: true

require_relative "command"

module Warmstart
  module CLI
    # `warmstart key`: a name for the cache of a CI system. It begins with all that decides whether an image can be used
    # at all (the format, this Ruby, its platform and encodings), and ends with the bundle: an image of another bundle
    # still serves the gems that both have, and the application's files.
    # @api private
    class Key < Command
      USAGE = "[OPTIONS]"
      ABOUT = <<~TEXT
        Prints a key under which a CI system can keep the image's folder (WARMSTART_CACHE_DIR): another Ruby, another platform or another
        Gemfile.lock makes another key. An image under a key that only begins alike is worth restoring, too: see --prefix.
      TEXT

      private

      def define(parser)
        parser.on("--prefix", "print only what must be the same for an image to be of any use")
        parser.on(*ROOT)
        parser.on("--json", "print both as JSON")
      end

      def execute(rest)
        no_arguments(rest)
        need_extension
        prefix = "warmstart-#{Native.key_hash(Image::Key.text)}-"
        return puts(prefix) || 0 if @options[:prefix] && !@options[:json]

        key = "#{prefix}#{Native.key_hash(lockfile)}"
        @options[:json] ? print_json({ key: key, prefix: prefix }) : puts(key)
        0
      end

      # @return [String] its text; "" if there is none
      def lockfile
        gemfile = target.gemfile or return ""
        path = Location.lockfile(gemfile)
        File.file?(path) ? File.binread(path) : ""
      rescue SystemCallError => error
        raise Error, "cannot read #{path}: #{error.message}"
      end
    end
  end
end
