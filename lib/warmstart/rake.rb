# frozen_string_literal: true

# `require "warmstart/rake"` in a Rakefile outside of Rails (there integrations/rails.rb does it): `rake
# warmstart:clear`, and `rake clean` and `rake clobber` take the image with them. It works with the application that
# lies around the Rakefile.
require "rake"
require "rake/clean"
require_relative "../warmstart"

load File.join(__dir__, "integrations/tasks.rake")
task clean: "warmstart:clear_quietly"
