# frozen_string_literal: true

require "fileutils"
require "open3"
require "rubygems/remote_fetcher"

module Downstream
  # The source of a suite, as its authors published it and as Debian stores it beside its source package. Each release
  # of Debian has other versions, and gets new ones: a source of another version than the table says is not used. apt
  # fetches it from where this machine has its packages, and compares its checksum.
  class Source
    UPDATED = [] # folders with lists that this process has fetched

    # @param package [String] the source package's name
    # @param release [String] Debian's name of the release: "trixie", "sid". The versions of a stable one seldom change.
    # @param version [String] the program's version there, as in the archive's name, without what Debian adds for itself
    def initialize(package, release, version)
      @package = package
      @release = release
      @version = version
    end

    # @param work [String] the folder to work in
    # @return [String] the folder with the source
    def fetch(work)
      folder = File.join(work, "sources", "#{@package}-#{@version}")
      return folder if File.directory?(folder)

      update(work)
      unpacked = "#{folder}.new"
      FileUtils.rm_rf(unpacked)
      archives.each { |uri, name, checksum| unpack(uri, name, checksum, unpacked) }
      File.rename(unpacked, folder)
      folder
    end

    private

    # [[address, name, checksum]]: the archive of the program itself, "_1.2.orig.tar.gz", and those of parts that are in
    # folders of it, "_1.2.orig-core.tar.gz".
    def archives
      found = apt("source", "--print-uris", @package).scan(/^'(\S+)' (\S+\.orig(?:-[a-z-]+)?\.tar\.\w+) \d+ (\S+)$/)
      raise Unavailable, "there is no source of #{@package} in #{@release}" if found.empty?

      version = found.first[1][/_(.+)\.orig/, 1]
      raise Unavailable, "#{@package} is at #{version} in #{@release}, pinned is #{@version}" unless version == @version

      found.sort_by { |_, name, _| name.size }
    end

    def unpack(uri, name, checksum, folder)
      archive = File.join(@apt, name)
      unless File.exist?(archive)
        run("/usr/lib/apt/apt-helper", "-o", "APT::Sandbox::User=root", "download-file", uri, archive, checksum)
      end
      part = File.join(folder, name[/\.orig-([a-z-]+)\.tar/, 1].to_s)
      FileUtils.mkdir_p(part)
      run("tar", "-x", "--no-same-owner", "--strip-components=1", "-C", part, "-f", archive)
    end

    # (Lists of an earlier day name archives that Debian has replaced.)
    def update(work)
      @apt = File.join(work, "apt", @release)
      return if UPDATED.include?(@apt)

      FileUtils.mkdir_p([File.join(@apt, "lists/partial"), File.join(@apt, "cache/archives/partial")])
      keys = Dir["/usr/share/keyrings/debian-archive-keyring.{gpg,pgp}"].first
      File.write(
        File.join(@apt, "sources.list"),
        "deb-src#{" [signed-by=#{keys}]" if keys} #{mirror} #{@release} main\n"
      )
      apt("update")
      UPDATED << @apt
    end

    # The address from which this machine gets its packages of Debian.
    def mirror
      lists =
        Dir["/etc/apt/sources.list", "/etc/apt/sources.list.d/*.{list,sources}"]
          .map { |file| File.read(file) }
          .join("\n")
      lists[%r{^[^#\n]*?(https?://\S+/debian/?)(?=\s|$)}, 1] or
        raise Unavailable, "this machine has no packages of Debian"
    end

    def apt(*arguments)
      settings = {
        "Dir::Etc::SourceList" => "sources.list",
        "Dir::Etc::SourceParts" => "none",
        "Dir::State::Lists" => "lists",
        "Dir::Cache" => "cache"
      }
      settings = settings.flat_map { |name, path| ["-o", "#{name}=#{File.join(@apt, path)}"] }
      run("apt-get", *settings, "-o", "APT::Sandbox::User=root", *arguments)
    end

    def run(*command, **options)
      output, status = Open3.capture2e(*command, **options)
      if status.success?
        output
      else
        raise(
          Unavailable,
          "#{@package}: #{File.basename(command.first)}: #{output.lines.grep(/^E:/).first || output.lines.last}".strip
        )
      end
    rescue Errno::ENOENT => error
      raise Unavailable, error.message
    end
  end

  # The source of a suite that its authors have packed into the gem itself, from RubyGems.
  class PackedGem < Source
    # @param gem [String]
    # @param version [String]
    def initialize(gem, version)
      super(gem, "RubyGems", version)
    end

    def fetch(work)
      folder = File.join(work, "sources")
      place = File.join(folder, "#{@package}-#{@version}")
      return place if File.directory?(place)

      FileUtils.mkdir_p(folder)
      download("#{place}.gem")
      run("gem", "unpack", "#{place}.gem", "--target", folder)
      place
    end

    private

    # (`gem fetch` reads the list of all gems for that, which takes half a minute and 2 GB.)
    def download(path)
      File.binwrite(path, Gem::RemoteFetcher.fetcher.fetch_path(Gem.sources.first.uri + "gems/#{File.basename(path)}"))
    rescue Gem::RemoteFetcher::FetchError => error
      raise Unavailable, error.message
    end
  end
end
