# frozen_string_literal: true

Ransack.configure do |config|
  config.sanitize_custom_scope_booleans = false
  config.hide_sort_order_indicators = true
end
