# frozen_string_literal: true

Rails.application.configure do
  config.enable_reloading = false
  config.eager_load = true
  config.consider_all_requests_local = false

  config.action_controller.perform_caching = true
  config.cache_store = :memory_store
  config.public_file_server.enabled = true

  config.active_storage.service = :local
  config.force_ssl = ENV["FORCE_SSL"] == "1"

  config.log_level = ENV.fetch("RAILS_LOG_LEVEL", "info")
  config.log_tags = [:request_id]
  config.lograge.enabled = true

  config.action_mailer.default_url_options = { host: ENV.fetch("HOST", "shop.example") }
  config.active_support.report_deprecations = false
end
