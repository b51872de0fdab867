# frozen_string_literal: true

class Author < ApplicationRecord
  extend FriendlyId
  include Searchable

  friendly_id :name, use: %i[slugged history]
  searchable :name, :born_on

  has_many :books, dependent: :restrict_with_error
  has_one_attached :portrait

  validates :name, presence: true
end
