# frozen_string_literal: true

# `warmstart exec` puts this folder on the load path (-I in RUBYOPT). Ruby's prelude requires "rubygems" before it looks at any
# -r, and finds this file first: so the boot image is open before RubyGems is loaded, and RubyGems comes from it, too. With
# --disable-gems nobody gets here; setup.rb, required by -r, takes the folder away then.
$LOAD_PATH.delete(__dir__)
require_relative "../../warmstart"
Warmstart.setup_before_rubygems
require "rubygems"
Warmstart.session&.know_ruby_folders
