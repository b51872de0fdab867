# frozen_string_literal: true

class Review < ApplicationRecord
  belongs_to :book, counter_cache: true
  belongs_to :user

  validates :rating, inclusion: 1..5
  validates :user_id, uniqueness: { scope: :book_id }
end
