# frozen_string_literal: true

require "open3"

require_relative "command"
require_relative "../units"
require_relative "../boot/adoption"
require_relative "../stores/store"

module Warmstart
  module CLI
    # What `push`, `pull` and `prune` share: the store, and the name under which an application's images lie in it.
    # @api private
    class StoreCommand < Command
      # Seconds for all that a command asks of its store.
      TIMEOUT = 120
      NAME = /\A[A-Za-z0-9][A-Za-z0-9._-]{0,99}\z/

      private

      def define_store(parser)
        parser.on("--timeout SECONDS", Integer, "give up when the store takes longer in all (default: #{TIMEOUT})")
        parser.on("--json", "print the counts as JSON")
      end

      def define_application(parser)
        parser.on(
          "--application NAME",
          "under which its images lie (default: WARMSTART_APPLICATION, or that of git's origin, or of the folder)"
        )
      end

      def execute(rest)
        usage_error("name a store: a folder or an address") if rest.first.to_s.empty?
        no_arguments(rest.drop(1))
        usage_error("--timeout must be 1 or more") if @options[:timeout] && @options[:timeout] < 1
        begin
          @store = Stores.open(rest.first, seconds: @options[:timeout] || TIMEOUT)
          work
        rescue Stores::Wrong => error
          raise Error.new(error.message, status: 2)
        rescue Stores::Trouble => error
          raise Error, error.message
        end
      end

      def key = @key ||= Native.key_hash(Image::Key.text)

      def bundle = Native.key_hash(target.lockfile_text)

      # The bundle's gems, those of git and of paths, too: "rack-3.1.8".
      def gems = target.lockfile_text.scan(Adoption::GEM).map { |name, version| "#{name}-#{version}" }.uniq.sort

      # It must be the same in each clone and on each machine, so the folder's path is not in it.
      def application
        @application ||=
          begin
            given = @options[:application] || ENV["WARMSTART_APPLICATION"]
            given = nil if given.to_s.empty?
            name = given || own_name
            unless name.match?(NAME)
              usage_error("--application: #{name.inspect} is no name (letters, digits, . _ -, at most 100)")
            end
            name
          end
      end

      # (Releases below a `current` link have one identity.)
      def own_name
        origin = git("config", "--get", "remote.origin.url").to_s.chomp
        names = [origin[%r{([^/:]+?)(?:/?\.git)?(?:/\.?)*\z}, 1], target.location.identity[Adoption::IDENTITY, :name]]
        names
          .map { |name| name.to_s.b.gsub(/[^A-Za-z0-9._-]/, "_").sub(/\A[._-]+/, "")[0, 100] }
          .find { |name| name != "" }
          .to_s
      end

      # (A repository may name a program that git would run to learn what has changed.)
      # @return [String, nil] what git prints about the application's folder; nil: there is no git, or no repository
      def git(*arguments)
        return unless target.root

        output, status =
          Open3.capture2("git", "-c", "core.fsmonitor=false", "-C", target.root, *arguments, err: File::NULL)
        output if status.success?
      rescue SystemCallError
        nil
      end

      def image_name = "#{application} #{key}-#{bundle}"
    end
  end
end
