# frozen_string_literal: true

# `require "warmstart/rake"` in a Rakefile (Rails does this by itself, through integrations/rails.rb) adds the task
# `warmstart:clear`, and lets `rake clean` and `rake clobber` remove the image, too. The application is the one whose
# folder the Rakefile is in.
require "rake"
require "rake/clean"
require_relative "../warmstart"

load File.join(__dir__, "integrations/tasks.rake")
task clean: "warmstart:clear_quietly"
