# frozen_string_literal: true

module Warmstart
  # A copy of Warmstart from before copies knew of each other (warmstart/native), in the application's bundle, say: it
  # would load its extension over ours, and define everything once more. Its files count as loaded, and ours do what
  # they would.
  module OlderCopy
    PARTS = %w[cli path file_system profiler].freeze

    class << self
      # @param path [String] a file that is about to be required
      # @return [Boolean] was it such a copy's? Then that is done with.
      def head_off(path)
        name = File.basename(path, ".rb")
        folder = name == "warmstart" ? path.delete_suffix(".rb") : File.dirname(path)
        native = File.join(folder, "native.rb")
        return false if !File.file?(native) || File.binread(native).include?("Warmstart::FOLDER")

        $LOADED_FEATURES.concat(
          ["#{folder}.rb", *Dir.glob("**/*.rb", base: folder).map { |file| File.join(folder, file) }] - $LOADED_FEATURES
        )
        answer(name)
        true
      end

      private

      def answer(name)
        require File.join(FOLDER, name) if PARTS.include?(name)
        Warmstart.setup_from(caller_locations(1)) if %w[setup bundler].include?(name)
        require "bundler/setup" if name == "bundler"
      end
    end
  end
end
