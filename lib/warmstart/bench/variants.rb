# frozen_string_literal: true

require "fileutils"
require "tmpdir"

require_relative "../ruby_options"

module Warmstart
  module Bench
    # One command in three variants: plain Ruby, bootsnap, Warmstart. Each has its cache in a temporary folder, so that
    # the application's own caches are neither used nor changed.
    #
    # - plain: if the application loads one of the two by itself, the variables of these turn them off (WARMSTART=0,
    #   DISABLE_BOOTSNAP=1).
    # - bootsnap: bootsnap/setup right after bundler/setup, with its defaults; if the application loads bootsnap by
    #   itself, it only gets the cache folder.
    # - warmstart: as `warmstart exec` starts it.
    # @api private
    class Variants
      ADAPTER = File.expand_path("bootsnap", __dir__)

      def initialize(command)
        @command = command
        @folder = Dir.mktmpdir("warmstart-bench-")
      end

      # @return [Hash{String => Hash}] the variants for Runner
      def to_h
        {
          "plain" => variant("WARMSTART" => "0", "DISABLE_BOOTSNAP" => "1"),
          "bootsnap" =>
            variant(
              "WARMSTART" => "0",
              "DISABLE_BOOTSNAP" => nil,
              "BOOTSNAP_CACHE_DIR" => path("bootsnap"),
              **RubyOptions.with(ENV, "-I#{ADAPTER}")
            ),
          "warmstart" =>
            variant(
              "WARMSTART" => nil,
              "WARMSTART_READONLY" => nil,
              "DISABLE_BOOTSNAP" => "1",
              "WARMSTART_IMAGE_DIR" => path("warmstart"),
              **RubyOptions.environment
            )
        }
      end

      # Whether the variant has put anything into its cache. If not, it did not take part.
      def used?(name) = name == "plain" || Dir.exist?(path(name)) && !Dir.empty?(path(name))

      def close = FileUtils.rm_rf(@folder)

      private

      def path(name) = File.join(@folder, name)

      def variant(environment) = { command: @command, env: environment }
    end
  end
end
