# frozen_string_literal: true

Phonelib.default_country = "DE"
