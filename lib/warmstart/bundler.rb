# frozen_string_literal: true

# `require "warmstart/bundler"` takes the place of bundler/setup and warmstart/setup. It opens the boot image first, so
# that Bundler's own files come from the image. Then it replays what an earlier Bundler.setup found out, or runs
# Bundler.setup (docs/bundler.md).
require_relative "failsafe"

loaded =
  Warmstart::Failsafe.run("setup") do
    require_relative "../warmstart"
    true
  end
Warmstart.setup_from(caller_locations(1)) if loaded
require "bundler/setup"
