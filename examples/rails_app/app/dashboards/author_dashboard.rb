# frozen_string_literal: true

require "administrate/base_dashboard"

class AuthorDashboard < Administrate::BaseDashboard
  ATTRIBUTE_TYPES = {
    id: Field::Number,
    name: Field::String,
    born_on: Field::Date,
    biography: Field::Text,
    books: Field::HasMany
  }.freeze

  COLLECTION_ATTRIBUTES = %i[id name born_on].freeze
  SHOW_PAGE_ATTRIBUTES = %i[id name born_on biography books].freeze
  FORM_ATTRIBUTES = %i[name born_on biography].freeze
  COLLECTION_FILTERS = {}.freeze

  def display_resource(author) = author.name
end
