# frozen_string_literal: true

class Copy < ApplicationRecord
  include AASM

  belongs_to :book, counter_cache: true
  belongs_to :branch
  has_many :loans, dependent: :restrict_with_error

  acts_as_list scope: :book

  validates :barcode, presence: true, uniqueness: true

  aasm column: :state do
    state :available, initial: true
    state :on_loan
    state :lost

    event(:lend) { transitions from: :available, to: :on_loan }
    event(:take_back) { transitions from: %i[on_loan lost], to: :available }
    event(:lose) { transitions from: %i[available on_loan], to: :lost }
  end
end
