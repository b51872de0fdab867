# frozen_string_literal: true

require "open3"
require "rbconfig"

module Warmstart
  module Image
    # The $LOAD_PATH of an application whose bundle is set up. Another process finds it out, so nothing of the bundle is
    # loaded here.
    # @api private
    class Application
      class Failed < StandardError
      end

      PROBE = File.expand_path("application_probe.rb", __dir__)

      # load_path: [String] the absolute paths in $LOAD_PATH; stable: for each of them, whether it lies under Ruby's or
      # a gem's folder; gem_folders: the gems' whole folders.
      attr_reader :load_path, :stable, :gem_folders

      # @param gemfile [String, nil] nil: Ruby's own load path
      # @raise [Failed] the bundle cannot be set up; the message is Bundler's
      def initialize(gemfile, root: nil)
        answer = Application.ask(gemfile, root: root)
        @load_path = answer.fetch(:load_path)
        @stable = answer.fetch(:stable)
        @gem_folders = answer.fetch(:gem_folders)
      end

      # Runs the probe.
      # @param feature [String, nil] a feature that the probe looks up in the image
      # @param directory [String, nil] the image's folder
      # @param root [String, nil] the application's folder, or a lone script, in whose folder it runs then
      # @return [Hash]
      def self.ask(gemfile, root: nil, feature: nil, directory: nil)
        environment = { "RUBYOPT" => bare_options, "WARMSTART" => nil, "BUNDLE_GEMFILE" => gemfile }
        environment.merge!("WARMSTART_IMAGE_DIR" => directory, "WARMSTART_READONLY" => "1") if directory
        options = root ? { chdir: File.directory?(root) ? root : File.dirname(root) } : {}
        output, errors, status = Open3.capture3(environment, RbConfig.ruby, PROBE, *feature, binmode: true, **options)
        return Marshal.load(output) if status.success? && !output.empty?

        line = errors.dup.force_encoding(Encoding::UTF_8).scrub.lines.map(&:strip).reject(&:empty?).first
        raise Failed, "cannot set up the bundle of #{gemfile || "no Gemfile"}: #{line}"
      end

      # Under `bundle exec`: undoes what Bundler has changed in the environment.
      # @return [Hash{String => String, nil}] the variables to set, nil for those to remove
      def self.without_bundler
        prefix = "BUNDLER_ORIG_"
        originals = ENV.select { |name, _| name.start_with?(prefix) }
        before =
          originals.to_h do |name, value|
            [name.delete_prefix(prefix), value == "BUNDLER_ENVIRONMENT_PRESERVER_INTENTIONALLY_NIL" ? nil : value]
          end
        before.merge(originals.transform_values { nil })
      end

      # RUBYOPT without its -r options: what is left decides how Ruby compiles.
      def self.bare_options
        ENV["RUBYOPT"].to_s.split.reject { |option| option.start_with?("-r") }.join(" ")
      end
    end
  end
end
