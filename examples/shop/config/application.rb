# frozen_string_literal: true

require_relative "boot"

require "rails/all"

# Solidus warns at each boot about missing copies of its migrations; ours run where they are (lib/tasks/engines.rake).
ENV["SOLIDUS_SKIP_MIGRATIONS_CHECK"] ||= "1"

Bundler.require(*Rails.groups)

# For the comparison with Warmstart, which leaves this work out (docs/speed.md, "Tweaks").
TZInfo::DataSource.class_eval { def eager_load! = nil } if ENV["BOOT_WITH"] == "bootsnap_without_tzinfo"

module Shop
  class Application < Rails::Application
    config.load_defaults 7.2

    config.time_zone = "UTC"
    config.i18n.available_locales = %i[en de fr es it]
    config.i18n.default_locale = :en
    config.i18n.fallbacks = true

    config.active_job.queue_adapter = ENV.key?("REDIS_URL") ? :sidekiq : :async
    # ImageMagick is called as a program, when an image is shown; libvips would have to be there at boot.
    config.active_storage.variant_processor = :mini_magick

    # There is no schema file: most tables belong to the engines.
    config.active_record.maintain_test_schema = false
    config.active_record.dump_schema_after_migration = false
  end
end
