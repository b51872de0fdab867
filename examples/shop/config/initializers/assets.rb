# frozen_string_literal: true

# The shop's own pages need no asset pipeline; the administration's assets are compiled when they are asked for.
Rails.application.config.assets.version = "1"
