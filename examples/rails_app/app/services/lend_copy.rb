# frozen_string_literal: true

# Lends a copy to a reader: Success(loan), or Failure(errors by field).
class LendCopy
  include Dry::Monads[:result, :do]

  def call(user:, params:)
    input = yield validate(params)
    copy = Copy.find(input[:copy_id])

    loan = Loan.transaction do
      copy.lend!
      user.reservations.where(book_id: copy.book_id).destroy_all
      copy.loans.create!(user: user, due_on: (input[:days]&.days || Loan::PERIOD).from_now)
    end

    LibraryMetrics::LOANS.increment(labels: { branch: copy.branch.name })
    LoanMailer.with(loan: loan).receipt.deliver_later
    Success(loan)
  end

  private

  def validate(params)
    result = LoanContract.new.call(params)
    result.success? ? Success(result.to_h) : Failure(result.errors.to_h)
  end
end
