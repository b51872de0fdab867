# frozen_string_literal: true

require "administrate/base_dashboard"

class BranchDashboard < Administrate::BaseDashboard
  ATTRIBUTE_TYPES = {
    id: Field::Number,
    name: Field::String,
    address: Field::String
  }.freeze

  COLLECTION_ATTRIBUTES = %i[id name].freeze
  SHOW_PAGE_ATTRIBUTES = %i[id name address].freeze
  FORM_ATTRIBUTES = %i[name address].freeze
  COLLECTION_FILTERS = {}.freeze

  def display_resource(branch) = branch.name
end
