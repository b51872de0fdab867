# frozen_string_literal: true

# Each minor version of Ruby has a bundle of its own (see Gemfile). A Ruby without one resolves the Gemfile afresh.
ENV["BUNDLE_GEMFILE"] ||= begin
  own = File.expand_path("../Gemfile-#{RUBY_VERSION[/\d+\.\d+/]}", __dir__)
  File.file?(own) ? own : File.expand_path("../Gemfile", __dir__)
end

# Warmstart comes before Bundler, whose setup it replays. (What `warmstart init` writes finds an installed gem.)
boot_with = ENV.fetch("BOOT_WITH", "plain")
boot_with == "warmstart" ? require_relative("../../../lib/warmstart/bundler") : require("bundler/setup")

# What starts the application: plain Ruby or one of the accelerators compared in bench/.
case boot_with
when "plain", "warmstart" # nothing more
when "bootsnap", "bootsnap_without_tzinfo" then require "bootsnap/setup"
when "bootsnap_without_yaml"
  require "bootsnap"
  Bootsnap.setup(cache_dir: File.expand_path("../tmp/cache", __dir__), compile_cache_yaml: false,
                 development_mode: ENV.fetch("RAILS_ENV", "development") == "development")
when %r{\A/} then require boot_with       # for bin/compare: another revision's warmstart/setup
else abort "config/boot.rb: unknown BOOT_WITH=#{boot_with}"
end

# Where a trace of system calls shall begin to count (bench/metadata_calls_benchmark.rb).
File.exist?(ENV["BOOT_MARKER"]) if ENV["BOOT_MARKER"]
