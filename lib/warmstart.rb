# frozen_string_literal: true

# Warmstart: from the second start on, a Ruby program's code comes from one memory-mapped boot image.
#
# A map of the code:
#
#   warmstart/api             Warmstart.setup, unload! and whatever else programs may call
#   warmstart/setup           what an application requires; it finds the application and starts the session
#   warmstart/failsafe        undoes a step of Warmstart's that fails, and lets the program go on
#   warmstart/configuration   the one table of settings
#   warmstart/location        which application this is, where its image lies, and whose files are trusted
#   warmstart/boot/session    opens the image, installs the patches, records, and writes the image
#   warmstart/boot/gc_governor  postpones garbage collection during the boot (with sizes and memory_limits)
#   warmstart/boot/moments    when servers, test runners and rake begin their work
#   warmstart/integrations/rails  what Rails tells Warmstart
#   warmstart/core_ext        every patch of Ruby
#   warmstart/bundle          replays Bundler's setup from a record
#   warmstart/image/          the image's key, its inspector
#   warmstart/cli/            the command line, one command a file
#   ext/warmstart/core/       the image, the index, the recording: plain C
#   ext/warmstart/ruby/       bindings: loader, load path, recorder
#
# These files use nothing but Ruby's core. A library that they loaded would already be there when the program requires
# it, and the program could tell.
if defined?(Warmstart::FOLDER) && Warmstart::FOLDER != File.join(__dir__ || ".", "warmstart")
  require Warmstart::FOLDER # (another copy of Warmstart came first: see warmstart/native)
  return
end

return if defined?(Warmstart.setup_from) # (this same file was loaded before, under another path)

require_relative "warmstart/native"
Warmstart.load_compiled(File.join(__dir__ || ".", "warmstart.rb"))
require_relative "warmstart/failsafe"
require_relative "warmstart/api"
