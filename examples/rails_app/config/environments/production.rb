# frozen_string_literal: true

require "active_support/core_ext/integer/time"

Rails.application.configure do
  config.enable_reloading = false
  config.eager_load = true
  config.consider_all_requests_local = false

  config.action_controller.perform_caching = true
  config.cache_store = :memory_store
  config.public_file_server.enabled = true
  config.public_file_server.headers = { "cache-control" => "public, max-age=#{1.hour.to_i}" }

  config.active_storage.service = ENV.key?("S3_BUCKET") ? :amazon : :local

  config.force_ssl = ENV["FORCE_SSL"] == "1"

  config.log_level = ENV.fetch("RAILS_LOG_LEVEL", "info")
  config.log_tags = [:request_id]
  config.lograge.enabled = true
  config.lograge.formatter = Lograge::Formatters::Json.new

  config.action_mailer.perform_caching = false
  config.action_mailer.default_url_options = { host: ENV.fetch("HOST", "library.example") }

  config.active_support.report_deprecations = false
  config.active_record.dump_schema_after_migration = false
  config.active_record.attributes_for_inspect = [:id]
end
