# frozen_string_literal: true

require "administrate/base_dashboard"

class BookDashboard < Administrate::BaseDashboard
  ATTRIBUTE_TYPES = {
    id: Field::Number,
    title: Field::String,
    isbn: Field::String,
    author: Field::BelongsTo,
    publisher: Field::BelongsTo,
    category: Field::BelongsTo,
    language: Field::String,
    published_in: Field::Number,
    summary: Field::Text,
    copies_count: Field::Number
  }.freeze

  COLLECTION_ATTRIBUTES = %i[id title author copies_count].freeze
  SHOW_PAGE_ATTRIBUTES = ATTRIBUTE_TYPES.keys.freeze
  FORM_ATTRIBUTES = %i[title isbn author publisher category language published_in summary].freeze
  COLLECTION_FILTERS = {}.freeze

  def display_resource(book) = book.title
end
