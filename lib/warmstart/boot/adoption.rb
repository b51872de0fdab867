# frozen_string_literal: true

module Warmstart
  # Where an application has no image yet, looks for another one that knows its files: the image of the same application
  # at another place (a new clone, a container, a release), or that of another application with the same gems. It lies
  # in the folder that WARMSTART_CACHE_DIR names or in the user's cache folder. If it lies inside an application, a file
  # there has its path. It is trusted by the rules for any image (docs/security.md), and each file is used only if its
  # contents are the same.
  # @api private
  class Adoption
    # What Location#identity returns, and the name of an announcement (Location#announcement).
    IDENTITY = /\A(?<name>.+)-\h{16}(?:\.path)?\z/

    # What Gemfile.lock says of a gem from a server: "    rack (3.1.8)".
    GEM = /^    (\S+) \(([^)]+)\)$/

    # The folder of an image, and the path of the secret that it needs (Location#secret).
    Other = Struct.new(:folder, :secret)

    # @param location [Location]
    # @param key_hash [String] of the image's key
    def initialize(location, key_hash)
      @location = location
      @others = location.others.to_s
      @manifest = "#{key_hash}.manifest"
      @record = /\A#{key_hash}-(\h{16})\.record\z/
    end

    # @return [Other, nil] the image that knows most of our files, as far as names tell: the newest one of an application
    #   of the same name, or else, if the bundle's gems are known, the newest of all (of which only these gems are taken)
    def other
      own = File.basename(@location.announcement || @location.identity)
      names = Dir.children(@others).grep(IDENTITY) - [own]
      same, rest = names.partition { |name| name[IDENTITY, :name] == own[IDENTITY, :name] }
      newest(same) || (newest(rest) if gems)
    rescue SystemCallError
      nil # (there is no such folder yet)
    end

    # @param other [Other]
    # @param maximum_size [Integer] of the image, in bytes
    # @return [Hash{Symbol => Integer}, nil] how many files were taken over, and how many not (ws_adopted in
    #   core/adoption/adoption.h); nil: none
    def take_over(other, maximum_size)
      result = Native.adopt(other.folder, other.secret, @location.folder, gem_homes, gems, maximum_size)
      counts = result.is_a?(Hash) ? result.map { |name, count| "#{name} #{count}" }.join(", ") : result.last
      Native.log("taken over from #{other.folder.b}: #{counts.b}")
      return unless result.is_a?(Hash) && result.fetch(:taken).positive?

      carry_records(other)
      result
    end

    private

    # What Bundler found out there holds here, too, if all that it depends on is the same (Bundle::Record).
    def carry_records(other)
      ids = Dir.children(other.folder).filter_map { |name| name[@record, 1] }
      ids.each do |id|
        bytes = Native.read_record_of(other.folder, other.secret, id)
        Native.write_record(id, bytes) if bytes.is_a?(String) && !Native.read_record(id).is_a?(String)
      end
    rescue SystemCallError
      nil # (the other folder has been removed just now)
    end

    def newest(names)
      places = names.filter_map { |name| place(File.join(@others, name)) }
      times = places.to_h { |other| [other, written(other.folder)] }.compact
      times.max_by(&:last)&.first
    end

    # @param path [String] of an image's folder, or of a file with such a path
    def place(path)
      return Other.new(path) if File.lstat(path).directory?
      return unless File.file?(path) && File.readable?(path)

      folder = FileNames.text(File.read(path, 4096))
      Other.new(folder, File.join(@others, "secret")) if File.absolute_path?(folder)
    rescue SystemCallError
      nil
    end

    def written(folder)
      path = File.join(folder, @manifest)
      File.mtime(path).to_f if File.exist?(path)
    rescue SystemCallError
      nil
    end

    def gem_homes
      homes = defined?(Gem) && Gem.respond_to?(:path) ? Gem.path : []
      named = ENV["BUNDLE_PATH"]
      return homes unless named && File.absolute_path?(named) && defined?(RbConfig::CONFIG)

      [*homes, File.join(named, "ruby", RbConfig::CONFIG["ruby_version"])]
    end

    # @return [String, nil] the names of the bundle's gems as Native.adopt wants them; nil: it is not known
    def gems
      return @gems if defined?(@gems)

      @gems = locked
    end

    def locked
      named = FileNames.text(ENV["BUNDLE_GEMFILE"])
      gemfile = named && File.absolute_path?(named) ? named : @location.gemfile
      return unless gemfile

      lockfile = Location.lockfile(gemfile)
      return unless File.file?(lockfile)

      names = File.binread(lockfile).scan(GEM).map { |name, version| "#{name}-#{version}" }
      "\n#{names.join("\n")}\n" if names.any?
    end
  end
end
