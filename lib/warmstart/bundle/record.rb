# frozen_string_literal: true

module Warmstart
  module Bundle
    # What Bundler found out in one situation, and what that depends on. It is stored as Marshal of plain objects
    # (Strings, Arrays, Hashes, Symbols, Integers, true, false, nil) in the image's folder, under the rules of
    # docs/security.md.
    # @api private
    class Record
      # The version of this format. Records with another number are not read.
      FORMAT = 9

      # A gem. kind: :stub or :full (its class in Bundler); executables, bindir: nil if they are not known.
      Specification =
        Struct.new(
          :kind,
          :name,
          :version,
          :platform,
          :full_name,
          :full_gem_path,
          :load_paths,
          :loaded_from,
          :default_gem,
          :gem_dir,
          :executables,
          :bindir
        )

      class << self
        # @param situation [Situation]
        # @return [Record, String] a String says why there is none
        def read(situation)
          bytes = Native.read_record(situation.id)
          return explain(bytes) unless bytes.is_a?(String)
          return "nothing was recorded yet" if bytes.empty?

          content = Marshal.load(bytes)
          unless content.is_a?(Hash) && content[:format] == FORMAT && content[:situation] == situation.text
            return "nothing was recorded in this situation"
          end
          return "nothing was recorded yet" if content.key?(:not_recorded)

          new(situation.places.unmark(content), situation.places)
        rescue TypeError, ArgumentError => error
          "the record cannot be read: #{error.message}"
        end

        # Stores why there is no record, for `warmstart status`.
        # @param gemfile [String] its path
        # @param reason [String]
        def refuse(situation, gemfile, reason)
          content = { format: FORMAT, situation: situation.text, gemfile: gemfile, not_recorded: reason }
          Native.write_record(situation.id, Marshal.dump(content))
        end

        # A text that changes with the content of a file, or with the names in a folder. It is empty for a file that
        # does not exist. For a folder that cannot be read it is the class of the error.
        # @return [String]
        def content_of(path)
          File.directory?(path) ? Situation.digest(Dir.children(path).sort.join("\0")) : Native.hash_file(path).to_s
        rescue SystemCallError => error
          error.class.name
        end

        # @param value [String, nil] the value of a variable, which may be a password
        # @return [String, nil]
        def digest(value) = value && Situation.digest(value)

        # Asks one of the rarer questions about a file, to compare the answer with the recorded one.
        # @return [Object] true, false, nil, a String, an Integer, or the class of the error
        def ask(method, path)
          # (checked first, because under -d Ruby prints each exception)
          return Errno::ENOENT.name unless File.exist?(path) || File.symlink?(path)

          File.public_send(method, path)
        rescue SystemCallError => error
          error.class.name
        end

        # A file that changed just now might change again within the same tick of the clock, and nobody would notice.
        # @param began [Integer] nanoseconds, by the clock of the file system
        # @return [String, nil]
        def youth(content, began)
          path = Native.first_young(content.fetch(:files), content.fetch(:metadata), began)
          path && "#{path} is too young"
        end

        private

        def explain(failure)
          reason, message = failure
          # (for :elsewhere the image has reported it already)
          return "nothing was recorded in this situation" if %i[missing elsewhere].include?(reason)

          # (A boot that records takes it anew. The folder's own faults are the image's, which has told them already if
          # somebody can mend them.)
          line = "build the image again: #{message}; Bundler starts as usual"
          Native.recording? || %i[system foreign_owner].include?(reason) ? Native.log(line) : Native.complain(line)
          message
        end
      end

      # Adds what became known of gems' programs. (The record is read once more, because the program may have changed what
      # was read before.)
      # @param content [Hash] of the record as it should still be
      # @param learned [Hash{String => Array(Array<String>, String)}] executables and bindir by the gem's name
      def self.learn(situation, content, learned)
        record = read(situation)
        unless record.is_a?(Record) && content.except(:known).all? { |name, value| record.content[name] == value }
          return
        end

        record.specifications.each do |values|
          values.executables, values.bindir = learned.fetch(values.name) { next } unless values.executables
        end
        record.content[:known] = record.specifications.map(&:to_a)
        record.write(situation)
      end

      # bundled: names of the bundle's gems, in Bundler's order; known: specifications of all gems that RubyGems is told of,
      # default gems included; features: files that gemspecs required. The others: Recorder#result, Watch#dependencies.
      attr_reader :content

      # @param places [Places]
      def initialize(content, places)
        @content = content
        @places = places
      end

      # @return [Integer, Array(Symbol, String)] as Native.write_record
      def write(situation)
        own = { folders: @content.fetch(:folders), format: FORMAT, situation: situation.text }
        Native.write_record(situation.id, Marshal.dump(@places.mark(@content).merge(own)))
      end

      # Compares everything that the record depends on. The disk is asked only once.
      # @return [String, nil] what has changed
      def problem
        return @problem if @asked

        @asked = true
        @problem = bound_elsewhere || changed_variable || (changed_file || changed_answer unless sealed?)
      end

      # Where the files have other times but the same contents (a restored cache, a new clone, a container's layer), the
      # times of now are recorded, so that the next boot need not read the files.
      def renew(situation)
        return unless @renewed && Native.recording?

        content = @content.merge(metadata: @renewed, folders: @places.folders)
        now = Record.new(content, @places).write(situation)
        write(situation) if now.is_a?(Integer) && Record.youth(content, now)
      end

      # @param gemspecs [String] a digest of what the gemspecs of path gems say now
      # @return [String, nil] what has changed
      def gemspecs_changed(gemspecs) =
        ("the gemspec of a path gem changed" unless @content.fetch(:gemspecs) == gemspecs)

      # @return [Boolean] whether `warmstart build` made it for any user; then files are compared by content
      def portable? = !@content.key?(:metadata)

      def specifications = @specifications ||= @content.fetch(:known).map { |values| Specification.new(*values) }
      def bundled = @content.fetch(:bundled)
      def features = @content.fetch(:features)

      private

      # (A file that Bundler reads names a folder of the bundle: it names the same one wherever the bundle lies.)
      def bound_elsewhere
        before, now = @content.fetch(:folders), @places.folders
        "the bundle is at another path" if @content.fetch(:bound).any? { |index| before[index] != now[index] }
      end

      def elsewhere? = @content.fetch(:folders) != @places.folders

      def changed_variable
        name, =
          @content
            .fetch(:variables)
            .find { |variable, digest| Record.digest(@places.mark_list(ENV[variable])) != digest }
        name && "the variable #{name} changed"
      end

      # Like everything in a sealed image, this record is used without checking any file. (An image is sealed for one
      # lockfile. Gems in another folder than that of the build are not those that it was sealed with.)
      def sealed? = portable? && Native.sealed? && !elsewhere?

      def changed_file
        path =
          (portable? ? other_content(@content.fetch(:sums)) : changed_metadata) ||
            Native.first_other_type(@content.fetch(:presences), @content.fetch(:types))
        path && "#{path} changed"
      end

      # (The metadata are taken first: what changes while the contents are read has other metadata afterwards.)
      def changed_metadata
        files = @content.fetch(:files)
        path = Native.first_changed(files, @content.fetch(:metadata))
        return path unless path && (sums = @content.fetch(:sums))

        renewed = files.map { |file| Native.metadata(file) }.join
        path = other_kind(renewed) || other_content(sums)
        @renewed = renewed unless path
        path
      end

      # (A file that cannot be read has no content, as one that is not there; and nobody may read a FIFO.)
      def other_kind(renewed)
        files = @content.fetch(:files)
        before, now = [@content.fetch(:metadata), renewed].map { |packed| packed.unpack("Qx32" * files.size) }
        index = before.zip(now).index { |old, new| old != new }
        index && files[index]
      end

      def other_content(contents)
        files = @content.fetch(:files)
        index = files.zip(contents).index { |path, content| Record.content_of(path) != content }
        index && files[index]
      end

      def changed_answer
        method, path, = @content.fetch(:answers).find { |name, file, answer| Record.ask(name, file) != answer }
        method && "File.#{method} answers otherwise for #{path}"
      end
    end
  end
end
