# frozen_string_literal: true

Devise.setup do |config|
  require "devise/orm/active_record"

  config.mailer_sender = "library@library.example"
  config.case_insensitive_keys = [:email]
  config.strip_whitespace_keys = [:email]
  config.skip_session_storage = [:http_auth]
  config.stretches = Rails.env.test? ? 1 : 12
  config.reconfirmable = true
  config.expire_all_remember_me_on_sign_out = true
  config.password_length = 8..128
  config.reset_password_within = 6.hours
  config.sign_out_via = :delete
  config.responder.error_status = :unprocessable_content
  config.responder.redirect_status = :see_other

  # The issuer is asked for its configuration when the first reader signs in with a library card.
  config.omniauth :openid_connect,
                  name: :library_card,
                  issuer: ENV.fetch("OPENID_ISSUER", "https://cards.library.example"),
                  discovery: true,
                  client_options: { identifier: ENV["OPENID_CLIENT"], secret: ENV["OPENID_SECRET"] }
end
