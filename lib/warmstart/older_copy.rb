# frozen_string_literal: true

module Warmstart
  # Keeps out a copy of Warmstart that is older than FOLDER (see warmstart/native), in the application's bundle for
  # instance: it would load its extension over this one, and define everything again. All its files are marked as
  # loaded, and the files of this copy do what they would do.
  # @api private
  module OlderCopy
    PARTS = %w[cli path file_system profiler].freeze

    class << self
      # @param path [String] a file that is about to be required
      # @return [Boolean] whether the file belongs to such a copy; if so, there is nothing left to load
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
