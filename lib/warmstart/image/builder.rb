# frozen_string_literal: true

require "fileutils"
require "securerandom"

require_relative "../bundle/portable"
require_relative "bundle"
require_relative "compiler"
require_relative "inspector"
require_relative "key"
require_relative "source_files"

module Warmstart
  module Image
    # Makes an image from scratch: collects parts (what a command records when it runs, what the compiler makes without
    # running anything), and merges them into the image's folder, whose old image stays until the new one is complete.
    class Builder
      class Failed < StandardError
      end

      # Folders of parts are called so, and are given up after a day.
      PREFIX = ".warmstart-build-"
      ABANDONED_SECONDS = 86_400

      BUNDLE_SETUP = File.expand_path("bundle_setup.rb", __dir__)

      # The name of a record: the key's hash, the situation's.
      RECORD = /\A\h{16}-\h{16}\.record\z/

      # What was built. folder, entries, size (bytes); failures: [[path, message or nil]] of files left out.
      Result = Struct.new(:folder, :entries, :size, :failures, keyword_init: true)

      # Flags of the image.
      Options =
        Struct.new(:sealed, :portable, :reproducible, :root, :fingerprints, :maximum_size, :ignored, keyword_init: true)

      attr_reader :failures, :options
      # Of the folder that is merged into.
      attr_writer :owner, :secret # (secret: Location#secret)

      # @param beside [String] where the folder of parts is made: beside the target, so that owner and file system are
      #   its own
      # @param owner [Integer, nil] whose files are trusted besides ours
      def initialize(beside:, options:, owner: nil)
        @options = options
        @owner = owner
        @folder = make_folder(beside)
        @compiled = []
        @failures = []
        @load_path = {} # entry => stable
      end

      # Where a trained command's processes record: the image's own folder, and (for the user's cache) the folder that
      # holds one for each program.
      def trained_folder = File.join(@folder, "trained")

      # Where they say which image they would use (Training).
      def places_file = File.join(@folder, "places")

      # Has a process set up the bundle, as the application will, so that the image has a record of that without a
      # command. (Should it fail, Bundler has the same to say to the application; here nobody has asked for more than
      # code.)
      # @param gemfile [String]
      def record_bundle(gemfile, root)
        ours = {
          "WARMSTART" => nil,
          "WARMSTART_READONLY" => nil,
          "WARMSTART_TRAINING" => "1",
          "WARMSTART_IMAGE_DIR" => trained_folder
        }
        system(
          { **Bundle.without_bundler, "BUNDLE_GEMFILE" => gemfile, **ours },
          RbConfig.ruby,
          BUNDLE_SETUP,
          chdir: root,
          in: File::NULL,
          out: File::NULL,
          err: File::NULL
        )
      end

      # What the command loaded, with this Ruby.
      # @return [Array<String>]
      def trained_paths
        own = Inspector.new(trained_folder, owner: @owner)
        own.problem ? [] : own.code.map { |entry| entry.fetch(:path) }.select { |path| File.file?(path) }
      end

      # Did the command run with frozen string literals of its own files?
      def trained_frozen?
        own = Inspector.new(trained_folder, owner: @owner)
        !own.problem && own.entries.any? { |entry| entry.fetch(:hints).include?(:frozen_literals) }
      end

      # Compiles files without running any.
      # @param paths [Array<String>]
      # @param bundle [Bundle, nil] whose load path the index is to know
      # @param frozen [Array<String>] see Compiler
      def compile(paths, jobs:, progress:, bundle: nil, frozen: [])
        sizes = paths.to_h { |path| [path, File.size?(path) || 0] }
        # (the workers, which run nobody's code, read what we write, whatever the umask was)
        umask = File.umask(0o077)
        compiler = Compiler.new(@folder, key: Key.text, jobs: jobs, frozen: frozen, progress: progress).run(sizes)
        @compiled = compiler.parts
        @failures = compiler.failures
        bundle&.load_path&.zip(bundle.stable) { |entry, stable| @load_path[entry] = stable }
      ensure
        File.umask(umask) if umask
      end

      # Merges what was compiled and what was recorded into `target`, one image for each Ruby that recorded.
      # @return [Array<Result>] empty: there was nothing
      def merge(target, trained: trained_folder)
        own = Key.text
        images = Inspector.images(trained, owner: @owner).to_h { |image| [image.key, image] }
        images[own] ||= nil if @compiled.any?
        images
          .map { |key, image| merge_key(target, key, key == own ? @compiled : [], trained, image) }
          .tap { carry_records(target, trained, images.keys) }
      end

      # Removes the parts.
      def close
        FileUtils.rm_rf(@folder)
      end

      private

      # 0700 whatever the umask (what a sealed image lies in is for all to read); where its parent belongs to another
      # user, not at all.
      def make_folder(beside)
        path = File.join(beside, "#{PREFIX}#{SecureRandom.hex(8)}")
        _, message = Native.make_folder(beside, @options.sealed) || Native.make_folder(path, false)
        raise Failed, message if message

        remove_abandoned(beside)
        path
      rescue SystemCallError => error
        raise Failed, "cannot make a folder in #{beside}: #{error.message}"
      end

      # What builds that were killed have left.
      def remove_abandoned(beside)
        Dir
          .children(beside)
          .each do |name|
            path = File.join(beside, name)
            next unless name.start_with?(PREFIX)

            stat = File.lstat(path)
            FileUtils.rm_rf(path) if stat.directory? && stat.owned? && Time.now - stat.mtime > ABANDONED_SECONDS
          end
      end

      # What Bundler found out while the command ran, and RubyGems' table of default gems. A portable image has a record
      # that names neither inodes nor times; whatever an earlier image had is removed, since from a sealed one it would
      # be believed.
      def carry_records(target, trained, keys)
        return keys.each { |key| write_records(target, key, records(trained, key)) } unless @options.portable

        Dir.children(target).grep(RECORD) { |name| File.unlink(File.join(target, name)) }
        portable = records(trained, Key.text).filter_map { |_, bytes| Warmstart::Bundle::Portable.convert(bytes) }
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

      # (Each for its place: what an application's folder holds carries a check.)
      def write_records(target, key, records)
        Native.prepare(target, key, Location.library_extension, @owner, @secret)
        records.each { |id, bytes| write_record(target, Native.key_hash(key), id, bytes) }
      end

      # A sealed image may be read by everybody: so may this.
      def write_record(target, key, id, bytes)
        answer = Native.write_record(id, bytes)
        raise Failed, answer.last unless answer.is_a?(Integer)

        File.chmod(0o644, File.join(target, "#{key}-#{id}.record")) if @options.sealed
      end

      # image: what the command recorded, or nil.
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
              root: @options.sealed ? @options.root : nil,
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
