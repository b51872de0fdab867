# frozen_string_literal: true

class Loan < ApplicationRecord
  PERIOD = 28.days
  RENEWALS = 2

  belongs_to :copy
  belongs_to :user
  has_one :book, through: :copy

  has_paper_trail on: %i[update destroy]

  scope :open, -> { where(returned_at: nil) }
  scope :overdue, -> { open.where(due_on: ...Date.current) }
  scope :due_within, ->(period) { open.where(due_on: Date.current..period.from_now.to_date) }

  validates :due_on, presence: true
  validates :renewals, numericality: { in: 0..RENEWALS }

  def overdue? = returned_at.nil? && due_on.past?

  def renewable? = returned_at.nil? && renewals < RENEWALS && !overdue?
end
