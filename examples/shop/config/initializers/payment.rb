# frozen_string_literal: true

Stripe.api_key = ENV["STRIPE_API_KEY"]
Stripe.max_network_retries = 2
