# frozen_string_literal: true

Spree.config do |config|
  config.currency = "EUR"
  config.default_country_iso = "DE"
  config.image_attachment_module = "Spree::Image::ActiveStorageAttachment"
  config.taxon_attachment_module = "Spree::Taxon::ActiveStorageAttachment"
end

# The catalogue is public, orders ask for a key.
Spree::Api::Config.requires_authentication = false
Spree::Backend::Config.locale = "en"

Spree.user_class = "Spree::User"
