# frozen_string_literal: true

Mobility.configure do
  plugins do
    backend :key_value, type: :string
    active_record
    reader
    writer
    backend_reader
    query
    cache
    fallbacks
    locale_accessors
    presence
  end
end
