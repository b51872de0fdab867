# frozen_string_literal: true

require "administrate/base_dashboard"

class UserDashboard < Administrate::BaseDashboard
  ATTRIBUTE_TYPES = {
    id: Field::Number,
    name: Field::String,
    email: Field::Email,
    role: Field::Select.with_options(collection: ->(_) { User.roles.keys }),
    locale: Field::String
  }.freeze

  COLLECTION_ATTRIBUTES = %i[id name email role].freeze
  SHOW_PAGE_ATTRIBUTES = %i[id name email role locale].freeze
  FORM_ATTRIBUTES = %i[name email role locale].freeze
  COLLECTION_FILTERS = {}.freeze

  def display_resource(user) = user.name
end
