# frozen_string_literal: true

require "fileutils"
require "open3"

module Downstream
  # The source of a suite, as its authors published it and as Debian stores it beside its source package. Each release
  # of Debian has other versions. apt fetches it from where this machine has its packages, and compares its checksum.
  class Source
    # @param package [String] the source package's name
    # @param release [String] Debian's name of the release: "trixie", "sid"
    def initialize(package, release)
      @package = package
      @release = release
    end

    # @param work [String] the folder to work in
    # @return [String] the folder with the source
    def fetch(work)
      folder = File.join(work, "sources", "#{@package}-#{@release}")
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
      found.any? ? found.sort_by { |_, name, _| name.size } : raise(Unavailable, "there is no source of #{@package} in #{@release}")
    end

    def unpack(uri, name, checksum, folder)
      archive = File.join(@apt, name)
      run("/usr/lib/apt/apt-helper", "-o", "APT::Sandbox::User=root", "download-file", uri, archive, checksum) unless File.exist?(archive)
      part = File.join(folder, name[/\.orig-([a-z-]+)\.tar/, 1].to_s)
      FileUtils.mkdir_p(part)
      run("tar", "-x", "--no-same-owner", "--strip-components=1", "-C", part, "-f", archive)
    end

    def update(work)
      @apt = File.join(work, "apt", @release)
      return if File.exist?(File.join(@apt, "updated"))

      FileUtils.mkdir_p([File.join(@apt, "lists/partial"), File.join(@apt, "cache/archives/partial")])
      keys = Dir["/usr/share/keyrings/debian-archive-keyring.{gpg,pgp}"].first
      File.write(File.join(@apt, "sources.list"), "deb-src#{" [signed-by=#{keys}]" if keys} #{mirror} #{@release} main\n")
      apt("update")
      FileUtils.touch(File.join(@apt, "updated"))
    end

    # The address from which this machine gets its packages of Debian.
    def mirror
      lists = Dir["/etc/apt/sources.list", "/etc/apt/sources.list.d/*.{list,sources}"].map { |file| File.read(file) }.join("\n")
      lists[%r{^[^#\n]*?(https?://\S+/debian/?)(?=\s|$)}, 1] or raise Unavailable, "this machine has no packages of Debian"
    end

    def apt(*arguments)
      settings = { "Dir::Etc::SourceList" => "sources.list", "Dir::Etc::SourceParts" => "none", "Dir::State::Lists" => "lists", "Dir::Cache" => "cache" }
      settings = settings.flat_map { |name, path| ["-o", "#{name}=#{File.join(@apt, path)}"] }
      run("apt-get", *settings, "-o", "APT::Sandbox::User=root", *arguments)
    end

    def run(*command, **options)
      output, status = Open3.capture2e(*command, **options)
      status.success? ? output : raise(Unavailable, "#{@package}: #{File.basename(command.first)}: #{output.lines.grep(/^E:/).first || output.lines.last}".strip)
    rescue Errno::ENOENT => error
      raise Unavailable, error.message
    end
  end

  # The source of a suite that its authors have packed into the gem itself, from RubyGems.
  class PackedGem < Source
    # @param gem [String]
    # @param version [String]

    def fetch(work)
      folder = File.join(work, "sources")
      place = File.join(folder, "#{@package}-#{@release}")
      return place if File.directory?(place)

      FileUtils.mkdir_p(folder)
      run("gem", "fetch", @package, "--version", @release, "--platform", "ruby", chdir: folder)
      run("gem", "unpack", "#{place}.gem", "--target", folder)
      place
    end
  end
end
