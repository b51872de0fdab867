# frozen_string_literal: true

# `require "warmstart/bundler"`, in place of bundler/setup and warmstart/setup: opens the boot image first, so that
# Bundler's own files come from it, and then replays what Bundler.setup found out in an earlier boot, or runs it
# (docs/bundler.md).
require_relative "failsafe"

loaded =
  Warmstart::Failsafe.run("setup") do
    require_relative "../warmstart"
    true
  end
Warmstart.setup_from(caller_locations(1)) if loaded
require "bundler/setup"
