# frozen_string_literal: true

# Warmstart: from the second start on, a Ruby program's code comes from one memory-mapped boot image.
# (docs/architecture.md has a map of the code.)
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
