# frozen_string_literal: true

namespace :warmstart do
  desc "Remove the boot image"
  task :clear do
    require "warmstart/cli"
    Warmstart::CLI.run(%w[clear])
  end
end

# `rake tmp:cache:clear` and `rake clobber` take the image with them where they exist.
task clobber: "warmstart:clear" if Rake::Task.task_defined?("clobber")
