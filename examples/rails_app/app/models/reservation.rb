# frozen_string_literal: true

class Reservation < ApplicationRecord
  belongs_to :book
  belongs_to :user

  scope :expired, -> { where(expires_at: ...Time.current) }

  validates :user_id, uniqueness: { scope: :book_id }

  before_validation(on: :create) { self.expires_at ||= 7.days.from_now }
end
