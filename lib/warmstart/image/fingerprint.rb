# frozen_string_literal: true

require_relative "../file_names"

module Warmstart
  module Image
    # The files that tell what a sealed image was made for: the lockfile, the REVISION that deploy tools write, and what
    # `--fingerprint` names. If any of them changes, the image is refused.
    # @api private
    module Fingerprint
      LOCKFILES = { "gems.rb" => "gems.locked" }.freeze
      MAXIMUM = 8

      module_function

      # @param root [String] the application's realpath
      # @return [Hash{String => String}] name in the image (relative if the file lies in the application) => path
      # @raise [ArgumentError] a file does not exist, or there are too many
      def files(root, gemfile: nil, given: [])
        found = [lockfile(gemfile), File.join(root, "REVISION")].compact.select { |path| File.file?(path) }
        given.each do |path|
          path = File.expand_path(path, File.directory?(root) ? root : File.dirname(root))
          raise ArgumentError, "there is no file #{path} for --fingerprint" unless File.file?(path)

          found << path
        end
        found.uniq!
        if found.size > MAXIMUM
          raise ArgumentError, "at most #{MAXIMUM} files can be the fingerprint, not #{found.size}"
        end

        found.to_h { |path| [FileNames.below(root, path), path] }
      end

      def lockfile(gemfile)
        return unless gemfile

        name = LOCKFILES[File.basename(gemfile)]
        name ? File.join(File.dirname(gemfile), name) : "#{gemfile}.lock"
      end
    end
  end
end
