# frozen_string_literal: true

# Says which attributes and associations Ransack may search, instead of none or all.
module Searchable
  extend ActiveSupport::Concern

  class_methods do
    def searchable(*attributes, through: [])
      define_singleton_method(:ransackable_attributes) { |_authorisation = nil| attributes.map(&:to_s) }
      define_singleton_method(:ransackable_associations) { |_authorisation = nil| through.map(&:to_s) }
    end
  end
end
