# frozen_string_literal: true

Geocoder.configure(timeout: 3, lookup: :nominatim, units: :km, http_headers: { "User-Agent" => "library.example" })
