# frozen_string_literal: true

require_relative "../configuration"
require_relative "../file_system"

module Warmstart
  module Image
    # Every file that an application may require (or load, as rake's tasks): those below each load-path entry, those in
    # the app and config folders of gems (Rails engines load from there), and the application's own. The paths are the
    # ones by which Ruby loads the files. Ruby expands a load-path entry to its realpath and appends the feature, so a
    # path is the realpath of the entry followed by the names below it.
    # @api private
    class SourceFiles
      EXTENSIONS = %w[.rb .rake].freeze

      # Folders of gems outside their load path, from which Rails loads.
      ENGINE_FOLDERS = %w[app config].freeze

      # Folders in an application whose files are not loaded when it runs.
      TESTS = %w[test tests spec features fixtures coverage].freeze
      APART = (TESTS + %w[vendor doc docs public bin examples example benchmark benchmarks migrate]).freeze

      # Below these no folder is left out for its name: app/models/test/result.rb is a model.
      CODE = %w[app lib config].freeze

      # @param ignored [Array<String>] names of folders in the application that are not entered
      # @param everywhere [Boolean] whether the user gave `ignored`; then it counts for gems, too
      def initialize(ignored, everywhere: false)
        @ignored = ignored
        @everywhere = everywhere ? ignored : []
        @found = {}
      end

      # @return [Array<String>] in path order
      def paths = @found.keys.sort

      # @param bundle [Application]
      # @param root [String, nil]
      def add_all(bundle, root)
        bundle.load_path.each do |entry|
          add_tree(entry, Configuration::WITHOUT_CODE | @everywhere) unless entry == root
        end
        bundle.gem_folders.each do |folder|
          ENGINE_FOLDERS.each { |name| add_tree(File.join(folder, name), Configuration::WITHOUT_CODE | @everywhere) }
        end
        add_application(root) if root
        self
      end

      # Adds every file with Ruby code below a folder.
      def add_tree(folder, skipped = Configuration::WITHOUT_CODE | @ignored)
        walk(File.realpath(folder)) { |name, _parent| !skipped.include?(name) }
        self
      rescue Errno::ENOENT, Errno::ENOTDIR, Errno::EACCES
        self
      end

      private

      def add_application(root)
        skipped = Configuration::WITHOUT_CODE | @ignored | APART
        inside = CODE.map { |name| "#{root}/#{name}/" }
        walk(root) do |name, parent|
          next false if Configuration::WITHOUT_CODE.include?(name) || @everywhere.include?(name)

          inside.any? { |folder| "#{parent}/".start_with?(folder) } ||
            !(skipped.include?(name) || name.start_with?("."))
        end
      end

      # Does not enter symlinked folders: they may lead anywhere, even in circles. What cannot be read is left out.
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
