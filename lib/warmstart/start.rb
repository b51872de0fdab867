# frozen_string_literal: true

# What `warmstart exec` puts into RUBYOPT, beside --disable-gems: the boot image is opened before RubyGems is loaded, so that
# RubyGems' own files come from it, too. Then RubyGems and its companions are loaded here, as Ruby's prelude would have
# loaded them, whether there is an image or not.
require_relative "setup"
require_relative "prelude"

Warmstart::Prelude.run
