# frozen_string_literal: true

# What RUBYOPT requires under `warmstart exec`, `build`, `bench` and a binstub: the user asks, not the application. A
# file of its own, so that an application that requires warmstart/setup later is heard: Ruby would not load that one
# twice.
require_relative "failsafe"

Warmstart::Failsafe.run("setup") do
  require_relative "../warmstart"
  $LOAD_PATH.delete(Warmstart::BEFORE_RUBYGEMS) # (see there)
  ENV.delete("WARMSTART_PROGRAM")
  Warmstart.setup_after_rubygems(caller_locations(1))
end
