# frozen_string_literal: true

class Category < ApplicationRecord
  extend Mobility
  include Searchable

  has_ancestry ancestry_format: :materialized_path2
  acts_as_list
  translates :name, type: :string
  searchable :slug

  has_many :books, dependent: :restrict_with_error

  validates :slug, presence: true, uniqueness: true

  def to_param = slug
end
