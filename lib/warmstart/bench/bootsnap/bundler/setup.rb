# frozen_string_literal: true

# The programs that `warmstart bench` starts with bootsnap find this file instead of Bundler's own (-I in RUBYOPT). It
# removes its folder from the load path, sets up the bundle, and does what `require "bootsnap/setup"` after that in
# config/boot.rb would do. All that remains of it is a line of $LOADED_FEATURES.
$LOAD_PATH.delete(File.dirname(__dir__))
require "bundler/setup"
begin
  require "bootsnap/setup"
rescue LoadError => error
  raise unless error.path == "bootsnap/setup" # (it is not in the bundle: then this variant leaves no cache)
end
