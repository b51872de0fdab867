# frozen_string_literal: true

# `require "warmstart/setup"`: one line after bundler/setup in config/boot.rb, or -r on the command line.
require_relative "failsafe"

loaded =
  Warmstart::Failsafe.run("setup") do
    require_relative "../warmstart"
    $LOAD_PATH.delete(Warmstart::BEFORE_RUBYGEMS) # (see BEFORE_RUBYGEMS)
    true
  end
Warmstart.setup_from(caller_locations(1)) if loaded
