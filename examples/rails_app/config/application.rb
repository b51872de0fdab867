# frozen_string_literal: true

require_relative "boot"

require "rails/all"

Bundler.require(*Rails.groups)

# For the comparison with Warmstart, which leaves this work out (docs/speed.md, "Tweaks").
TZInfo::DataSource.class_eval { def eager_load! = nil } if ENV["BOOT_WITH"] == "bootsnap_without_tzinfo"

module Library
  class Application < Rails::Application
    config.load_defaults 7.2

    config.autoload_lib(ignore: %w[assets tasks])

    config.time_zone = "Berlin"
    config.i18n.available_locales = %i[en de fr es ja]
    config.i18n.default_locale = :en
    config.i18n.fallbacks = true

    config.active_job.queue_adapter = ENV.key?("REDIS_URL") ? :sidekiq : :async
    # ImageMagick is called as a program, when an image is shown; libvips would have to be there at boot.
    config.active_storage.variant_processor = :mini_magick

    config.generators do |generate|
      generate.test_framework :test_unit, fixture: false
      generate.fixture_replacement :factory_bot, dir: "test/factories"
      generate.helper false
    end

    config.middleware.insert_before 0, Rack::Cors do
      allow do
        origins "*"
        resource "/api/*", headers: :any, methods: %i[get head options]
      end
    end
  end
end
