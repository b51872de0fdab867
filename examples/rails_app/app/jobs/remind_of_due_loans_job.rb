# frozen_string_literal: true

class RemindOfDueLoansJob < ApplicationJob
  queue_as :mailers

  def perform(within: 3.days)
    Loan.due_within(within).includes(:user, copy: :book).find_each do |loan|
      LoanMailer.with(loan: loan).reminder.deliver_later
    end
  end
end
