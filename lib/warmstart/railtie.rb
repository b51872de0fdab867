# frozen_string_literal: true

module Warmstart
  # Rails says when the boot is over.
  class Railtie < ::Rails::Railtie
    config.after_initialize { Warmstart.session&.application_ready }

    rake_tasks { load File.join(__dir__, "tasks.rake") }
  end
end
