# frozen_string_literal: true

Rack::Attack.cache.store = ActiveSupport::Cache::MemoryStore.new

Rack::Attack.throttle("API by address", limit: 300, period: 1.minute) do |request|
  request.ip if request.path.start_with?("/api/") && Rails.env.production? && ENV.key?("API_LIMIT")
end
