# frozen_string_literal: true

# `require "warmstart/bundler"` takes the place of bundler/setup and warmstart/setup. It opens the boot image first, so
# that Bundler's own files come from the image. Then it replays what an earlier Bundler.setup found out, or runs
# Bundler.setup (docs/bundler_and_documents.md).
require_relative "native"

loaded = defined?(Warmstart.load_library) && Warmstart::Failsafe.run("setup") { Warmstart.load_library }
Warmstart.setup_from(caller_locations(1)) if loaded
require "bundler/setup"
