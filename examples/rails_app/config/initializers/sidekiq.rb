# frozen_string_literal: true

# Nothing connects to Redis here: connections are made when a job is pushed or a worker starts.
redis = { url: ENV.fetch("REDIS_URL", "redis://localhost:6379/0") }

Sidekiq.configure_client { |config| config.redis = redis }

Sidekiq.configure_server do |config|
  config.redis = redis
  config.on(:startup) do
    schedule = YAML.load_file(Rails.root.join("config/schedule.yml"))
    Sidekiq::Cron::Job.load_from_hash!(schedule)
  end
end
