# frozen_string_literal: true

module Warmstart
  # Rails says when the boot is over.
  class Railtie < ::Rails::Railtie
    # Last before the namespaces are loaded eagerly: all that a tweak looks at is there.
    config.before_eager_load { Warmstart.session&.tweak }
    config.after_initialize { Warmstart.session&.application_ready }

    rake_tasks { load File.join(__dir__, "tasks.rake") }
  end
end
