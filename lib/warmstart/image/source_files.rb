# frozen_string_literal: true

require_relative "../file_system"

module Warmstart
  module Image
    # Every file that an application may require (or load: rake's tasks): below each load-path entry, in the gems' own
    # app and config folders (Rails engines load from there), and the application's own. Paths are those by which Ruby
    # loads them: Ruby expands a load-path entry to its realpath, so the realpath of the folder, and what lies below it
    # as it is called.
    class SourceFiles
      EXTENSIONS = %w[.rb .rake].freeze

      # Never worth a look, wherever they lie.
      NEVER = %w[node_modules .git .hg .svn].freeze

      # Folders of gems, besides their load path, from which Rails loads.
      ENGINE_FOLDERS = %w[app config].freeze

      # What lies in an application's folder and is not loaded by it when it runs.
      APART = %w[
        test
        tests
        spec
        features
        fixtures
        vendor
        coverage
        doc
        docs
        public
        bin
        examples
        example
        benchmark
        benchmarks
        migrate
      ].freeze

      # Inside of these, no name is special: app/models/test/result.rb is a model.
      CODE = %w[app lib config].freeze

      # @param ignored [Array<String>] names of folders in the application that are not entered
      # @param everywhere [Boolean] `ignored` was said by the user: it counts for gems, too
      def initialize(ignored, everywhere: false)
        @ignored = ignored
        @everywhere = everywhere ? ignored : []
        @found = {}
      end

      # @return [Array<String>] in path order
      def paths = @found.keys.sort

      # @param bundle [Bundle]
      # @param root [String, nil]
      def add_all(bundle, root)
        bundle.load_path.each { |entry| add_tree(entry, NEVER | @everywhere) unless entry == root }
        bundle.gem_folders.each do |folder|
          ENGINE_FOLDERS.each { |name| add_tree(File.join(folder, name), NEVER | @everywhere) }
        end
        add_application(root) if root
        self
      end

      # Every file with Ruby code below a folder.
      def add_tree(folder, skipped = NEVER | @ignored)
        walk(File.realpath(folder)) { |name, _parent| !skipped.include?(name) }
        self
      rescue Errno::ENOENT, Errno::ENOTDIR, Errno::EACCES
        self
      end

      private

      def add_application(root)
        skipped = NEVER | @ignored | APART
        inside = CODE.map { |name| "#{root}/#{name}" }
        walk(root) do |name, parent|
          next false if NEVER.include?(name) || @everywhere.include?(name)

          inside.any? { |folder| parent.start_with?(folder) } || !(skipped.include?(name) || name.start_with?("."))
        end
      end

      # Without symlinked folders: they may lead anywhere, in circles too. What cannot be read is left out.
      def walk(folder)
        tree =
          FileSystem.scan(folder, fields: [:type], errors: :keep) do |entry|
            yield entry.basename, File.dirname(entry.path)
          end
        tree.each do |entry|
          next unless entry.name.end_with?(*EXTENSIONS)

          path = entry.path
          @found[path] = true if entry.file? || (entry.symlink? && File.file?(path))
        end
      rescue SystemCallError
        nil
      end
    end
  end
end
