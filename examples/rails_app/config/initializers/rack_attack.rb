# frozen_string_literal: true

Rack::Attack.cache.store = ActiveSupport::Cache::MemoryStore.new

Rack::Attack.throttle("sign-in by address", limit: 10, period: 1.minute) do |request|
  request.ip if request.post? && request.path == "/users/sign_in"
end
