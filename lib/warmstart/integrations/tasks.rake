# frozen_string_literal: true

namespace :warmstart do
  remove_image =
    lambda do |*options|
      require_relative "../cli"
      session = Warmstart.session
      where = session ? ["--image", session.directory] : [] # (it knows of Warmstart.setup's keywords)
      Warmstart::CLI.run(["clear", *where, *options])

      at_exit { session.discard } if session
    end

  desc "Remove the boot image"
  task(:clear) { remove_image.call }

  # As a part of somebody else's task, which prints what it does without us.
  task(:clear_quietly) { remove_image.call("--quiet") }
end

# Whoever clobbers wants no image either, wherever it lies.
task clobber: "warmstart:clear_quietly"
task "tmp:cache:clear": "warmstart:clear_quietly" if defined?(Rails::Railtie)
