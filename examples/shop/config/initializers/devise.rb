# frozen_string_literal: true

Devise.secret_key = Rails.application.secret_key_base
Devise.stretches = 1 if Rails.env.test?
