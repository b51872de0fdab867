# frozen_string_literal: true

# `require "warmstart/bundler"` takes the place of bundler/setup and warmstart/setup. It opens the boot image first, so
# that Bundler's own files come from the image. Then it replays what an earlier Bundler.setup found out, or runs
# Bundler.setup (docs/bundler_and_documents.md).
#
# Bundler is not loaded yet, so this may be any version that is installed. If the lockfile means another copy, this file
# hands over to that one. It looks where Bundler installs gems, and if it is not there, Bundler is loaded first, as
# usual. A bundle without Warmstart is served by this copy.
bundled =
  lambda do |gemfile|
    root = File.dirname(gemfile)
    names = Encoding.find("filesystem")
    # (Ruby tells of each error with -d, also of one that is rescued.)
    lockfile = gemfile.end_with?("gems.rb") ? gemfile.sub(/rb\z/, "locked") : "#{gemfile}.lock"
    return unless File.file?(lockfile) && File.readable?(lockfile)

    source = File.binread(lockfile).delete("\r")[/^(?:GEM|GIT|PATH)\n(?:  .*\n)*?    warmstart \(.+\)\n/] or
      return __FILE__

    # (These files are read as bytes, and names in them are in the encoding of file names, whatever the locale is.)
    kind, remote, name =
      [/\A\w+/, /^  remote: (.+)$/, /warmstart \((.+)\)$/].map do |part|
        (source[part, 1] || source[part])&.force_encoding(names)
      end
    configured =
      [ENV["BUNDLE_APP_CONFIG"] || ".bundle", *(File.join(ENV["HOME"], ".bundle") if ENV["HOME"])].map do |folder|
          File.join(File.expand_path(folder, root), "config")
        end
        .select { |path| File.file?(path) && File.readable?(path) }
        .map { |path| File.binread(path)[/^BUNDLE_PATH: "?([^"\n]+)/, 1]&.force_encoding(names) }
    homes =
      [ENV["BUNDLE_PATH"], *configured, "vendor/bundle"].compact.map do |path|
        File.join(File.expand_path(path, root), RUBY_ENGINE, RbConfig::CONFIG["ruby_version"])
      end
    homes.concat(Gem.path)
    folders =
      case kind
      when "PATH"
        [File.expand_path(remote, root)]
      when "GIT"
        revision = source[/^  revision: (\h{12})/, 1]
        homes.map { |home| File.join(home, "bundler/gems/#{File.basename(remote, ".git")}-#{revision}") }
      else
        homes.map { |home| File.join(home, "gems/warmstart-#{name}") }
      end
    folders.map { |folder| File.join(folder, "lib/warmstart/bundler.rb") }.find { |path| File.file?(path) }
  rescue StandardError
    nil # (two names cannot be joined, for instance)
  end

# (The copy that came first serves for all: see native.rb.)
copy =
  if defined?(Warmstart::FOLDER) || !defined?(Gem) || ENV["BUNDLE_GEMFILE"].to_s.empty?
    __FILE__
  else
    bundled.call(File.expand_path(ENV["BUNDLE_GEMFILE"]))
  end

if copy && File.identical?(copy, __FILE__)
  require_relative "first"
  loaded = defined?(Warmstart.load_library) && Warmstart::Failsafe.run("setup") { Warmstart.load_library }
  Warmstart.setup_from(caller_locations(1)) if loaded
  require "bundler/setup"
else
  module Warmstart
    # The file that asks is the caller of this one. (All versions know the variable: see setup_from.)
    @asked = caller_locations(2)
  end
  require copy ? File.realpath(copy) : "bundler/setup"
  require "warmstart/setup" if !copy && $LOAD_PATH.resolve_feature_path("warmstart/setup")
end
