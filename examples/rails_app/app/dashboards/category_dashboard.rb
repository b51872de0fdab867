# frozen_string_literal: true

require "administrate/base_dashboard"

class CategoryDashboard < Administrate::BaseDashboard
  ATTRIBUTE_TYPES = {
    id: Field::Number,
    slug: Field::String,
    position: Field::Number
  }.freeze

  COLLECTION_ATTRIBUTES = %i[id slug position].freeze
  SHOW_PAGE_ATTRIBUTES = %i[id slug position].freeze
  FORM_ATTRIBUTES = %i[slug position].freeze
  COLLECTION_FILTERS = {}.freeze

  def display_resource(category) = category.slug
end
