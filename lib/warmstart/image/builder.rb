# frozen_string_literal: true

require "fileutils"

require_relative "../bundle/portable"
require_relative "application"
require_relative "compiler"
require_relative "inspector"
require_relative "../boot/image_key"
require_relative "source_files"
require_relative "temporary_folder"

module Warmstart
  module Image
    # Makes an image from scratch. It collects parts (what a command records when it runs, and what the compiler makes
    # without running anything) and merges them into the image's folder. The old image stays there until the new one is
    # complete.
    # @api private
    class Builder
      Failed = TemporaryFolder::Failed

      APPLICATION_SETUP = File.expand_path("application_setup.rb", __dir__)

      # The name of a record: the hash of the key, and that of the situation.
      RECORD = /\A\h{16}-\h{16}\.record\z/

      # What was built: folder, entries (a number), size (bytes) and failures, [[path, message or nil]] of files left
      # out.
      Result = Struct.new(:folder, :entries, :size, :failures, keyword_init: true)

      # Flags of the image.
      Options =
        Struct.new(:sealed, :portable, :reproducible, :root, :fingerprints, :maximum_size, :ignored, keyword_init: true)

      attr_reader :failures, :options
      # As Location#owner and Location#secret, for the folder that the parts are merged into.
      attr_writer :owner, :secret

      # @param beside [String] the folder in which the folder of parts is made: the target's parent, so that both have
      #   the same owner and file system
      # @param owner [Integer, nil] the user whose files are trusted besides this user's
      def initialize(beside:, options:, owner: nil)
        @options = options
        @owner = owner
        # (the folder around a sealed image can be read by everybody)
        @folder = TemporaryFolder.make(beside, options.sealed)
        @compiled = []
        @failures = []
        @load_path = {} # entry => stable
        @inspectors = []
      end

      # The folder in which the processes of a trained command record: the image's own folder, or (for the user's cache)
      # the folder that holds one image for each program.
      def trained_folder = File.join(@folder, "trained")

      # The file in which these processes tell which image they would use (see Training).
      def places_file = File.join(@folder, "places")

      # @return [Boolean] whether each process could record all (Session#explain)
      def complete? = [@folder, trained_folder].none? { |folder| File.exist?(File.join(folder, "incomplete")) }

      # The variables with which a process records into that folder.
      def environment
        {
          "WARMSTART" => nil,
          "WARMSTART_READONLY" => nil,
          "WARMSTART_TRAINING" => "1",
          "WARMSTART_IMAGE_DIR" => trained_folder
        }
      end

      # Starts a process that sets up the bundle as the application will, so that the image has a record of it without a
      # command. A failure is ignored: Bundler will report it to the application, and here only code was asked for.
      # @param gemfile [String]
      def record_bundle(gemfile, root)
        system(
          { **Application.without_bundler, "BUNDLE_GEMFILE" => gemfile, **environment },
          RbConfig.ruby,
          APPLICATION_SETUP,
          chdir: root,
          in: File::NULL,
          out: File::NULL,
          err: File::NULL
        )
      end

      # @return [Array<String>] the files that the command loaded with this Ruby, in the encoding that __FILE__ had
      def trained_paths
        own = trained_image or return []
        paths =
          own.code.map do |entry|
            path = entry.fetch(:path)
            entry.fetch(:hints).include?(:utf8_path) ? path.dup.force_encoding(Encoding::UTF_8) : path
          end
        paths.select { |path| File.file?(path) }
      end

      # @return [Boolean] whether the command ran with frozen string literals in its own files
      def trained_frozen?
        trained_image&.entries.to_a.any? { |entry| entry.fetch(:hints).include?(:frozen_literals) }
      end

      # Compiles files without running any.
      # @param paths [Array<String>]
      # @param bundle [Application, nil] the load path that the index is to know
      # @param frozen [Array<String>] see Compiler
      def compile(paths, jobs:, progress:, bundle: nil, frozen: [])
        sizes = paths.to_h { |path| [path, File.size?(path) || 0] }
        # (the parts belong to this user alone, whatever the umask is; the workers, which run nobody's code, read them)
        umask = File.umask(0o077)
        compiler = Compiler.new(@folder, key: Key.text, jobs: jobs, frozen: frozen, progress: progress).run(sizes)
        @compiled = compiler.parts
        @failures = compiler.failures
        bundle&.load_path&.zip(bundle.stable) { |entry, stable| @load_path[entry] = stable }
      ensure
        File.umask(umask) if umask
      end

      # Merges what was compiled and what was recorded into `target`, one image for each Ruby that recorded.
      # @return [Array<Result>] empty if there was nothing to merge
      def merge(target, trained: trained_folder)
        own = Key.text
        images = keep(Inspector.images(trained, owner: @owner)).to_h { |image| [image.key, image] }
        images[own] ||= nil if @compiled.any?
        return [] if images.empty?

        images
          .map { |key, image| merge_key(target, key, key == own ? @compiled : [], trained, image) }
          .tap { carry_records(target, trained, images.keys) }
      end

      # Removes the parts.
      def close
        @inspectors.each(&:close)
        FileUtils.rm_rf(@folder)
      end

      private

      # @return [Inspector, nil] what the command recorded with this Ruby
      def trained_image = keep([Inspector.new(trained_folder, owner: @owner)]).reject(&:problem).first

      # Windows removes no folder that holds a mapped file, so what was opened in ours is closed before that.
      def keep(inspectors) = inspectors.each { |inspector| @inspectors << inspector }

      # Copies the records: what Bundler found out while the command ran, and RubyGems' table of default gems. A
      # portable image gets records that contain neither inodes nor times. The records of an earlier image are removed:
      # a sealed image would trust them.
      def carry_records(target, trained, keys)
        return keys.each { |key| write_records(target, key, records(trained, key)) } unless @options.portable

        Dir.children(target).grep(RECORD) { |name| File.unlink(File.join(target, name)) }
        portable =
          records(trained, Key.text).to_h { |id, bytes| [id, Warmstart::Bundle::Portable.convert(bytes)] }.compact
        write_records(target, Key.text, portable)
      end

      # @return [Array<Array(String, String)>] ids and contents
      def records(folder, key)
        hash = Native.key_hash(key)
        names = File.directory?(folder) ? Dir.children(folder).grep(RECORD) : []
        Native.prepare(folder, key, Location.library_extension, @owner)
        names
          .select { |name| name.start_with?(hash) }
          .filter_map do |name|
            id = name[/\h{16}(?=\.record)/]
            bytes = Native.read_record(id)
            [id, bytes] if bytes.is_a?(String)
          end
      end

      # (Records are prepared for their folder: in an application's folder each carries a checksum made with the
      # secret.)
      def write_records(target, key, records)
        Native.prepare(target, key, Location.library_extension, @owner, @secret)
        records.each { |id, bytes| write_record(target, Native.key_hash(key), id, bytes) }
      end

      # Everybody may read a sealed image, so everybody may read its records.
      def write_record(target, key, id, bytes)
        answer = Native.write_record(id, bytes)
        raise Failed, answer.last unless answer.is_a?(Integer)

        File.chmod(0o644, File.join(target, "#{key}-#{id}.record")) if @options.sealed
      end

      # @param image [Inspector, nil] what the command recorded
      def merge_key(target, key, compiled, trained, image)
        load_path = image&.load_path.to_h.merge(compiled.empty? ? {} : @load_path).sort.to_h
        Native.prepare(target, key, Location.library_extension, @owner, @secret)
        merged =
          Native.merge(
            [*compiled, trained],
            {
              compiled: compiled.size,
              load_path: load_path.keys,
              stable: load_path.values,
              ignored: @options.ignored,
              sealed: @options.sealed,
              portable: @options.portable,
              reproducible: @options.reproducible,
              root: @options.root,
              statistics: @options.reproducible ? nil : image&.statistics,
              fingerprints: @options.fingerprints,
              maximum_size: @options.maximum_size
            }
          )
        Result.new(folder: target, entries: merged.fetch(:entries), size: merged.fetch(:size), failures: @failures)
      rescue RuntimeError => error
        raise Failed, error.message
      end
    end
  end
end
