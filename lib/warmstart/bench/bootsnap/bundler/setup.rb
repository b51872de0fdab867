# frozen_string_literal: true

# Found in the place of Bundler's own file by the programs that `warmstart bench` starts with bootsnap (-I in RUBYOPT):
# steps aside, sets up the bundle, then does what `require "bootsnap/setup"` after it in config/boot.rb would do. What
# is left of it is one line of $LOADED_FEATURES.
$LOAD_PATH.delete(File.dirname(__dir__))
require "bundler/setup"
require "bootsnap/setup"
