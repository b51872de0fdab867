# frozen_string_literal: true

require "open3"
require "rbconfig"

module Warmstart
  module Image
    # What $LOAD_PATH an application has once its bundle is set up, found out in a process of its own: nothing of the
    # bundle is loaded here.
    class Bundle
      class Failed < StandardError
      end

      PROBE = File.expand_path("bundle_probe.rb", __dir__)

      # load_path: [String] as in $LOAD_PATH, absolute ones only; stable: whether each lies under Ruby's or a gem's
      # folder; gem_folders: where the gems lie, whole.
      attr_reader :load_path, :stable, :gem_folders

      # @param gemfile [String, nil] without one: Ruby's own load path
      # @param question [String, nil] a feature that the probe looks up in the image of `directory` ...
      # @raise [Failed] Bundler's own words when the bundle cannot be set up
      def initialize(gemfile, root: nil)
        answer = Bundle.ask(gemfile, root: root)
        @load_path = answer.fetch(:load_path)
        @stable = answer.fetch(:stable)
        @gem_folders = answer.fetch(:gem_folders)
      end

      # Runs the probe. feature, directory: see there.
      # @return [Hash]
      def self.ask(gemfile, root: nil, feature: nil, directory: nil)
        environment = { "RUBYOPT" => bare_options, "WARMSTART" => nil, "BUNDLE_GEMFILE" => gemfile }
        environment.merge!("WARMSTART_IMAGE_DIR" => directory, "WARMSTART_READONLY" => "1") if directory
        options = root ? { chdir: root } : {}
        output, errors, status = Open3.capture3(environment, RbConfig.ruby, PROBE, *feature, binmode: true, **options)
        return Marshal.load(output) if status.success? && !output.empty?

        line = errors.dup.force_encoding(Encoding::UTF_8).scrub.lines.map(&:strip).reject(&:empty?).first
        raise Failed, "cannot set up the bundle of #{gemfile || "no Gemfile"}: #{line}"
      end

      # Under `bundle exec`: what Bundler has changed in the environment, and what was there before.
      # @return [Hash{String => String, nil}]
      def self.without_bundler
        prefix = "BUNDLER_ORIG_"
        originals = ENV.select { |name, _| name.start_with?(prefix) }
        before =
          originals.to_h do |name, value|
            [name.delete_prefix(prefix), value == "BUNDLER_ENVIRONMENT_PRESERVER_INTENTIONALLY_NIL" ? nil : value]
          end
        before.merge(originals.transform_values { nil })
      end

      # RUBYOPT without what it requires: only options that decide how Ruby compiles are left.
      def self.bare_options
        ENV["RUBYOPT"].to_s.split.reject { |option| option.start_with?("-r") }.join(" ")
      end
    end
  end
end
