# frozen_string_literal: true
# rubocop:disable all

# Written by `warmstart init`, which also updates it; `warmstart init --undo` removes it.
#
# Takes the place of `require "bundler/setup"`: the application starts from its boot image, Bundler's setup included.
# Bundler, which knows where the bundle's gems are, is not loaded yet, and RubyGems would activate the newest Warmstart
# that is installed. So this file looks for the version in the lockfile, in the folders where Bundler installs gems. If
# it finds none, Bundler is loaded first, as usual.
find =
  lambda do |gemfile|
    root = File.dirname(gemfile)
    lockfile = File.read(gemfile.end_with?("gems.rb") ? gemfile.sub(/rb\z/, "locked") : "#{gemfile}.lock").delete("\r")
    source, name = lockfile.match(/^(?:GEM|GIT|PATH)\n(?:  .*\n)*?    warmstart \((.+)\)$/)&.to_a
    next unless source

    remote = source[/^  remote: (.+)$/, 1]
    settings = [
      File.expand_path(ENV["BUNDLE_APP_CONFIG"] || ".bundle", root),
      *(File.join(ENV["HOME"], ".bundle") if ENV["HOME"])
    ]
    settings = settings.map { |folder| File.join(folder, "config") }.select { |path| File.file?(path) }
    paths = [
      ENV["BUNDLE_PATH"],
      *settings.map { |path| File.read(path)[/^BUNDLE_PATH: "?([^"\n]+)/, 1] },
      "vendor/bundle"
    ].compact
    homes =
      paths.map { |path| File.join(File.expand_path(path, root), RUBY_ENGINE, RbConfig::CONFIG["ruby_version"]) } +
        Gem.path
    folders =
      case source[/\A\w+/]
      when "PATH"
        [File.expand_path(remote, root)]
      when "GIT"
        homes.map do |home|
          File.join(home, "bundler/gems", "#{File.basename(remote, ".git")}-#{source[/^  revision: (\h{12})/, 1]}")
        end
      else
        homes.map { |home| File.join(home, "gems", "warmstart-#{name}") }
      end
    folders.map { |folder| File.join(folder, "lib/warmstart/bundler.rb") }.find { |path| File.file?(path) }
  rescue SystemCallError
    nil
  end

gemfile = File.expand_path(ENV["BUNDLE_GEMFILE"]) unless ENV["BUNDLE_GEMFILE"].to_s.empty?
library = find.call(gemfile) if gemfile && defined?(Gem)
if library
  require File.realpath(library)
else
  require "bundler/setup"
  require "warmstart/setup" if $LOAD_PATH.resolve_feature_path("warmstart/setup")
end
