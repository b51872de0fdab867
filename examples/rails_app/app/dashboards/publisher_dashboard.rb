# frozen_string_literal: true

require "administrate/base_dashboard"

class PublisherDashboard < Administrate::BaseDashboard
  ATTRIBUTE_TYPES = {
    id: Field::Number,
    name: Field::String,
    country_code: Field::String,
    website: Field::String
  }.freeze

  COLLECTION_ATTRIBUTES = %i[id name country_code].freeze
  SHOW_PAGE_ATTRIBUTES = %i[id name country_code website].freeze
  FORM_ATTRIBUTES = %i[name country_code website].freeze
  COLLECTION_FILTERS = {}.freeze

  def display_resource(publisher) = publisher.name
end
