# frozen_string_literal: true

# Each minor version of Ruby has a bundle of its own (see Gemfile). A Ruby without one resolves the Gemfile afresh.
ENV["BUNDLE_GEMFILE"] ||= begin
  own = File.expand_path("../Gemfile-#{RUBY_VERSION[/\d+\.\d+/]}", __dir__)
  File.file?(own) ? own : File.expand_path("../Gemfile", __dir__)
end

# Warmstart comes before Bundler, whose setup it replays. If Warmstart is a gem of the bundle, only its path finds it
# then.
boot_with = ENV.fetch("BOOT_WITH", "plain")
require boot_with == "warmstart" ? File.expand_path("../../../lib/warmstart/bundler", __dir__) : "bundler/setup"

# What starts the tools: plain Ruby or one of the accelerators compared in bench/.
case boot_with
when "plain", "warmstart" # nothing more
# bootsnap/setup would take a tool for an application in development, and look at more files than necessary.
when "bootsnap", "bootsnap_without_yaml"
  require "bootsnap"
  Bootsnap.setup(cache_dir: File.expand_path("../tmp/cache", __dir__), compile_cache_yaml: boot_with == "bootsnap", development_mode: false)
when %r{\A/} then require boot_with       # for bin/compare: another revision's warmstart/setup
else abort "config/boot.rb: unknown BOOT_WITH=#{boot_with}"
end
