# frozen_string_literal: true

class Publisher < ApplicationRecord
  include Searchable

  searchable :name, :country_code

  has_many :books, dependent: :restrict_with_error

  validates :name, presence: true, uniqueness: true
  validates :country_code, inclusion: { in: ->(_) { ISO3166::Country.codes } }, allow_nil: true

  def country
    ISO3166::Country[country_code] if country_code
  end
end
