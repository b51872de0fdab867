# frozen_string_literal: true

require_relative "store_command"
require_relative "../image/inspector"
require_relative "../image/reasons"
require_relative "../stores/keys"
require_relative "../stores/push"

module Warmstart
  module CLI
    # `warmstart push`: puts the application's image into a store.
    # @api private
    class Push < StoreCommand
      USAGE = "[OPTIONS] STORE"
      ABOUT = <<~TEXT
        Puts this application's image into STORE, from which `warmstart pull` gets it on other machines: a folder, a web server's address, or s3://BUCKET/PREFIX. Only pieces that the store
        lacks are sent. The image is signed: who has one of the public keys that pull trusts knows that it comes from you.
      TEXT

      private

      def define(parser)
        parser.on("--key FILE", "sign with this private key (default: WARMSTART_SIGNING_KEY; see `warmstart key new`)")
        parser.on("--unsigned", "do not sign: only for a folder that nobody else can write to")
        define_application(parser)
        parser.on("--force", "send all pieces, also those that the store has")
        define_target(parser)
        define_store(parser)
      end

      def work
        signing = signing_key
        need_extension
        image = open_image
        files = Stores::Pieces.read(target.directory, key)
        warn_of_changes
        result = Stores::Push.new(@store, key: signing, all: @options[:force]).run(files, facts(image))
        @options[:json] ? print_json(result.to_h) : print_result(result)
        0
      end

      # The key may stand in the variable itself, as CI systems hand secrets to a job.
      def signing_key
        given = @options[:key] || ENV["WARMSTART_SIGNING_KEY"]
        given = nil if given.to_s.empty?
        usage_error("--key and --unsigned cannot be combined") if @options[:key] && @options[:unsigned]
        return if @options[:unsigned]
        usage_error("a push is signed: name a private key by --key ('warmstart key new FILE' makes one)") unless given

        Stores::Keys::Signing.read(given)
      end

      # The image as a boot would open it, but whole.
      def open_image
        image = Image::Inspector.new(target.directory, **target.trust)
        raise Error, "#{image.message}: #{Image::Reasons.explain(image.problem)}; nothing was pushed" if image.problem

        damaged = image.damaged.size
        raise Error, "#{damaged} entries are damaged ('warmstart verify'); nothing was pushed" if damaged.positive?

        image
      end

      def facts(image)
        {
          application: application,
          key: key,
          bundle: bundle,
          root: unicode(image.manifest.fetch(:root)),
          time: Process.clock_gettime(Process::CLOCK_REALTIME, :millisecond),
          gems: unicode(gems)
        }
      end

      def warn_of_changes
        changed = git("status", "--porcelain").to_s.lines.size
        return if changed.zero?

        CLI.complain(
          "#{changed} #{changed == 1 ? "file in the clone differs" : "files in the clone differ"} from its commit; the " \
            "image is that of the files as they are"
        )
      end

      def print_result(result)
        puts "pushed #{image_name} to #{@store}: sent #{Units.bytes(result.sent_size)}, " \
               "#{Units.count(result.sent_pieces)} of #{Units.count(result.pieces)} pieces of #{Units.bytes(result.size)}"
        CLI.complain("it is not signed; only 'pull --unsigned' takes it") if @options[:unsigned]
      end
    end
  end
end
