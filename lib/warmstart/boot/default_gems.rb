# frozen_string_literal: true

module Warmstart
  # Fills RubyGems' table of default gems from a record. At its start RubyGems evaluates the gemspec of every default
  # gem (70 or so) to learn which file belongs to which gem (Gem.register_default_spec). This takes a third of `ruby -e
  # 1`, and hardly any program asks for more than a few of these gems. With a record, a gemspec is evaluated only when
  # somebody asks for one of its files.
  #
  # The record is used while the folder, each gemspec in it and RubyGems are unchanged. It is written only if all
  # gemspecs are valid, because RubyGems warns of an invalid one at each start.
  # @api private
  module DefaultGems
    FORMAT = 1

    class << self
      # RubyGems is about to be loaded: takes the place of its load_defaults for one call.
      def expect
        Native.landmark("rubygems/specification", -> { Failsafe.run("the record of default gems") { take_over } })
      end

      private

      def take_over
        original = defined?(::Gem::Specification) && ::Gem::Specification.method(:load_defaults)
        # (A program without RubyGems may have a file of its own with that name.)
        return expect unless original && Location.means?("rubygems/specification", original.source_location&.first)
        return unless original.owner == ::Gem::Specification.singleton_class

        ours = method(:load_defaults)
        CoreExt.silently { ::Gem::Specification.define_singleton_method(:load_defaults) { ours.call(original) } }
      end

      # Takes the place of RubyGems' load_defaults. Calls the original if there is no record, or if Warmstart's code
      # fails.
      def load_defaults(original)
        before = map = folder = nil
        filled =
          Failsafe.run("the record of default gems", -> { forget(map) if map }) do
            CoreExt.silently { ::Gem::Specification.define_singleton_method(:load_defaults, original) }
            before = $LOADED_FEATURES.size # (RubyGems itself would load the same files when it evaluates the gemspecs)
            folder = ::Gem.default_specifications_dir
            map = ::Gem.instance_variable_get(:@path_to_default_spec_map)
            map = nil unless map.instance_of?(Hash) && map.empty? && map.default_proc.nil?
            features, files = read(folder) if map
            fill(map, features, files) if files
          end
        return if filled

        original.call
        Failsafe.run("the record of default gems") do
          write(folder, map, $LOADED_FEATURES.drop(before)) if map && Native.recording?
        end
      end

      # Leaves the table empty, as RubyGems' load_defaults expects it.
      def forget(map)
        map.default_proc = nil
        map.clear
      end

      def id(folder) = Native.key_hash("default gems #{FORMAT} #{::Gem::VERSION} #{folder}")

      # @return [Array, nil] the features that RubyGems loads to evaluate the gemspecs, and {file of a gem, as RubyGems
      #   writes it => gemspec}
      def read(folder)
        bytes = Native.read_record(id(folder))
        return unless bytes.is_a?(String)

        format, seen_folder, paths, metadata, *found = Marshal.load(bytes)
        found if format == FORMAT && seen_folder == folder && Native.first_changed(paths, metadata).nil?
      rescue TypeError, ArgumentError
        nil
      end

      # @param map [Hash{String => Gem::Specification}] as load_defaults leaves it
      # @param features [Array<String>] what RubyGems loaded meanwhile
      def write(folder, map, features)
        rubygems = ::Gem.method(:register_default_spec).source_location.first
        return unless features.all? { |path| path.start_with?(rubygems.delete_suffix(".rb") + "/") }

        gemspecs = Dir.glob("*.gemspec", base: folder).sort.map { |name| File.join(folder, name) }
        specifications = map.values.uniq
        unless specifications.all? { |specification|
                 specification.instance_of?(::Gem::Specification) && gemspecs.include?(specification.loaded_from)
               }
          return
        end

        # (a gem without files is not in the map, but its gemspec must be valid, too)
        cache = ::Gem::Specification.instance_variable_get(:@load_cache)
        return unless cache.instance_of?(Hash) && gemspecs.all? { |path| cache.key?(path) }

        paths = [folder, rubygems, *gemspecs]
        metadata = paths.map { |path| Native.metadata(path) }.join
        Native.write_record(
          id(folder),
          Marshal.dump([FORMAT, folder, paths, metadata, features, map.transform_values(&:loaded_from)])
        )
      end

      # The default block answers for a file that is not in the table yet. After Gem.clear_default_specs it answers nil,
      # because the mark is gone, too.
      def fill(map, features, files)
        features.each { |path| require path }
        mark = Object.new
        map[mark] = nil
        map.default_proc =
          lambda do |hash, path|
            gemspec = files[path] if hash.key?(mark)
            gemspec && hash.store(path, ::Gem::Specification.load(gemspec))
          end
        true
      end
    end
  end
end
