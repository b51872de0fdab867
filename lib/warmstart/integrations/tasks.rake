# frozen_string_literal: true

namespace :warmstart do
  desc "Remove the boot image"
  task :clear do
    require_relative "../cli"
    session = Warmstart.session
    where = session ? ["--image", session.directory] : []     # (it knows of Warmstart.setup's keywords)
    Warmstart::CLI.run(["clear", *where])

    at_exit { session.discard } if session
  end
end

# Whoever clobbers wants no image either, wherever it lies.
task clobber: "warmstart:clear"
task "tmp:cache:clear": "warmstart:clear" if defined?(Rails::Railtie)
