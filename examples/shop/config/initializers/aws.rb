# frozen_string_literal: true

# Clients are made where they are used, because making one looks for credentials.
Aws.config.update(region: ENV.fetch("AWS_REGION", "eu-central-1"), http_open_timeout: 3, http_read_timeout: 10)
