# frozen_string_literal: true

# RUBYOPT requires this file under `warmstart exec`, `build`, `bench` and a binstub, where the user asks for Warmstart
# and not the application. It is not warmstart/setup, because Ruby would not load that a second time, and the
# application's own `require "warmstart/setup"` would not be noticed.
require_relative "first"

if defined?(Warmstart.load_library)
  Warmstart::Failsafe.run("setup") do
    Warmstart.load_library
    ENV.delete("WARMSTART_PROGRAM")
    Warmstart.setup_after_rubygems(caller_locations(1))
  end
end
