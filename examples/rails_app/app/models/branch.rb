# frozen_string_literal: true

class Branch < ApplicationRecord
  has_many :copies, dependent: :restrict_with_error

  geocoded_by :address

  validates :name, presence: true
end
