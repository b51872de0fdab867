# frozen_string_literal: true

module Warmstart
  # Where an application has no image yet, looks for another one that knows its files: the image of the same application
  # at another place (a new clone, a container, a release), or that of another application with the same gems. Both lie
  # beside our own, in the folder that WARMSTART_CACHE_DIR names or in the user's cache folder. They are trusted by the
  # rules for our own, and each file is used only if its contents are the same.
  # @api private
  class Adoption
    # The folder of an image, as Location#identity names it.
    FOLDER = /\A(?<name>.+)-\h{16}\z/

    # What Gemfile.lock says of a gem from a server: "    rack (3.1.8)".
    GEM = /^    (\S+) \(([^)]+)\)$/

    # @param location [Location]
    # @param directory [String] the folder of our own image
    # @param key_hash [String] of the image's key
    def initialize(location, directory, key_hash)
      @location = location
      @directory = directory
      @manifest = "#{key_hash}.manifest"
    end

    # @return [String, nil] the folder of the image that knows most of our files, as far as names tell: one of an
    #   application of the same name, and of these the newest
    def other
      beside = File.dirname(@directory)
      own = File.basename(@directory)
      wanted = FOLDER.match(own) or return
      Dir
        .children(beside)
        .filter_map do |name|
          match = name == own ? nil : FOLDER.match(name)
          time = match && written(File.join(beside, name))
          [match[:name] == wanted[:name] ? 1 : 0, time, name] if time
        end
        .max
        &.then { |_, _, name| File.join(beside, name) }
    rescue SystemCallError
      nil # (there is no such folder yet)
    end

    # @param maximum_size [Integer] of the image, in bytes
    # @return [Boolean] whether our own image exists now
    def take_over(other, maximum_size)
      result = Native.adopt(other, gem_homes, gems, maximum_size)
      return Native.log("nothing is taken over from #{other.b}: #{result.last.b}").nil? if result.is_a?(Array)

      Native.log("taken over from #{other.b}: #{result.map { |name, count| "#{name} #{count}" }.join(", ")}")
      result.fetch(:taken).positive?
    end

    private

    def written(folder)
      File.mtime(File.join(folder, @manifest)).to_f
    rescue SystemCallError
      nil
    end

    def gem_homes
      homes = defined?(Gem) && Gem.respond_to?(:path) ? Gem.path : []
      named = ENV["BUNDLE_PATH"]
      named && File.absolute_path?(named) ? [*homes, File.join(named, "ruby", RbConfig::CONFIG["ruby_version"])] : homes
    end

    # @return [String, nil] the names of the bundle's gems as Native.adopt wants them; nil: it is not known
    def gems
      lockfile = @location.gemfile&.then { |path| path.end_with?("gems.rb") ? path.sub(/rb\z/, "locked") : "#{path}.lock" }
      return unless lockfile && File.file?(lockfile)

      names = File.binread(lockfile).scan(GEM).map { |name, version| "#{name}-#{version}" }
      "\n#{names.join("\n")}\n" if names.any?
    end
  end
end
