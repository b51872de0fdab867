# frozen_string_literal: true

namespace :warmstart do
  desc "Remove the boot image"
  task :clear do
    require "warmstart/cli"
    Warmstart::CLI.run(%w[clear])
  end
end

# Whoever clobbers (or clobbers assets) wants no image either.
task clobber: "warmstart:clear"
