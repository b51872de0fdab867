# frozen_string_literal: true

require_relative "store_command"
require_relative "../stores/arrival"
require_relative "../stores/keys"
require_relative "../stores/pull"

module Warmstart
  module CLI
    # `warmstart pull`: gets the application's image from a store.
    # @api private
    class Pull < StoreCommand
      USAGE = "[OPTIONS] STORE"
      ABOUT = <<~TEXT
        Gets this application's image for this Ruby from STORE, where `warmstart push` has put it: that of the same Gemfile.lock, or else the
        one with most gems in common. It is taken only if a trusted key has signed it. The next boot compares each file's contents.
      TEXT
      # The application's own list of trusted keys.
      TRUSTED_KEYS = "config/warmstart/trusted_keys"

      private

      def define(parser)
        parser.on("--optional", "succeed whatever happens: the application boots without an image, too")
        parser.on(
          "--trust KEY",
          "trust this public key, or those in this file, besides WARMSTART_TRUSTED_KEYS and #{TRUSTED_KEYS}"
        ) { |text| text.tap { (@trust ||= []) << FileNames.text(text) } }
        parser.on("--unsigned", "take what nobody has signed: only from a folder that nobody else can write to")
        define_application(parser)
        define_target(parser)
        define_store(parser)
      end

      def execute(rest)
        super
      rescue StandardError, NoMemoryError => error
        raise unless @options[:optional]

        CLI.complain("#{error.message}; going on without an image (--optional)")
        0
      end

      def work
        need_extension
        pull = Stores::Pull.new(@store, wanted: wanted, trusted: trusted, limit: target.configuration.maximum_size)
        list = pull.list
        arrival = Stores::Arrival.new(target, key)
        reason = arrival.here(list) and return stay(reason)

        warn_of_clock(list)
        result = nil
        how = arrival.take(list) { |folder| result = pull.fetch(list, folder, arrival.pieces) }
        @options[:json] ? print_json({ taken: how, **result.to_h }) : print_result(list, result, how)
        0
      end

      def wanted = { application: application, key: key, bundle: bundle, gems: gems }

      # @return [Stores::Keys::Trusted, nil] nil: signatures do not matter
      def trusted
        return unsigned if @options[:unsigned]

        keys = Stores::Keys::Trusted.new
        own = target.root && File.join(target.root, TRUSTED_KEYS)
        keys.add_file(own) if own && File.exist?(own)
        [ENV["WARMSTART_TRUSTED_KEYS"], *@trust].compact.reject(&:empty?).each { |given| keys.add(given) }
        usage_error("no key is trusted: put a public key into #{TRUSTED_KEYS}, or name it by --trust") if keys.empty?

        keys
      end

      def unsigned
        usage_error("--trust and --unsigned cannot be combined") if @trust
        unless @store.own?
          raise Stores::Wrong, "--unsigned is for a folder that only you can write to; #{@store} is none"
        end

        CLI.complain("--unsigned: whoever can write to #{@store} can run code in your programs")
        nil
      end

      def stay(reason)
        text = reason == :same ? "this image is here already" : "a newer image is here, and stays"
        @options[:json] ? print_json({ taken: nil, reason: reason }) : puts("#{text}: #{target.directory}")
        0
      end

      # (An hour is more than clocks of machines in use differ by. It only matters for which image is the newer one.)
      def warn_of_clock(list)
        return if list.pushed < Time.now + 3600

        CLI.complain("the image was pushed in the future (#{list.pushed.utc.round}); is a clock wrong?")
      end

      def print_result(list, result, how)
        nearest = list.bundle == bundle ? "" : ", of another bundle with #{(list.gems & gems).size} gems in common"
        verb = how == :placed ? "pulled" : "pulled and adopted"
        puts "#{verb} #{application} #{key}-#{list.bundle}#{nearest} from #{@store}: got " \
               "#{Units.bytes(result.fetched_size)}, #{Units.count(result.fetched_pieces)} of " \
               "#{Units.count(result.pieces)} pieces of #{Units.bytes(list.size)}"
      end
    end
  end
end
