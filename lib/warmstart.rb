# frozen_string_literal: true

# Warmstart: the second start of a Ruby program comes from one memory-mapped boot image.
#
# A map of the code:
#
#   warmstart/api             Warmstart.setup, unload! and what else programs may call
#   warmstart/setup           what an application requires; finds the application, starts the session
#   warmstart/failsafe        what of ours fails is undone, and the program goes on
#   warmstart/configuration   the one table of settings
#   warmstart/location        which application this is, where its image lies, whom to trust
#   warmstart/boot/session    opens the image, installs, records, writes
#   warmstart/boot/gc_governor  collections during the boot; sizes, memory_limits: what it goes by
#   warmstart/boot/moments    when servers, test runners and rake begin their work
#   warmstart/integrations/rails  what Rails tells us
#   warmstart/core_ext        every patch of Ruby
#   warmstart/bundle          Bundler's setup from a record
#   warmstart/image/          the image's key, its inspector
#   warmstart/cli/            the command line, one command a file
#   ext/warmstart/core/       the image, the index, the recording: plain C
#   ext/warmstart/ruby/       bindings: loader, load path, recorder
#
# Nothing in here is loaded that the program might have to require itself: only Ruby's core is used.
if defined?(Warmstart::FOLDER) && Warmstart::FOLDER != File.join(__dir__ || ".", "warmstart")
  require Warmstart::FOLDER # (another copy: warmstart/native)
  return
end

return if defined?(Warmstart.setup_from) # (this very file, by another of its names)

require_relative "warmstart/native"
Warmstart.load_compiled
require_relative "warmstart/api"
