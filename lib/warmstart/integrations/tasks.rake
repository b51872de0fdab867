# frozen_string_literal: true

namespace :warmstart do
  remove_image =
    lambda do |*options|
      require_relative "../cli"
      session = Warmstart.session
      where = session ? ["--image", session.directory] : [] # (it knows the keywords of Warmstart.setup)
      status = Warmstart::CLI.run(["clear", *where, *options])
      at_exit { session.discard } if session
      status
    end

  desc "Remove the boot image"
  task(:clear) do
    status = remove_image.call
    exit(status) unless status.zero?
  end

  # The part of somebody else's task: it prints nothing, so that this task's output is as without Warmstart.
  task(:clear_quietly) { remove_image.call("--quiet") }
end

# `rake clobber` also removes the image, wherever it lies.
task clobber: "warmstart:clear_quietly"
task "tmp:cache:clear": "warmstart:clear_quietly" if defined?(Rails::Railtie)
