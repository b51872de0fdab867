# frozen_string_literal: true

# `require "warmstart/setup"`: one line after bundler/setup in config/boot.rb, or -r on the command line.
require_relative "first"

loaded = defined?(Warmstart.load_library) && Warmstart::Failsafe.run("setup") { Warmstart.load_library }
Warmstart.setup_from(caller_locations(1)) if loaded
