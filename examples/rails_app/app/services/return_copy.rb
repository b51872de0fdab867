# frozen_string_literal: true

# Takes a copy back and tells the reader who waits for it longest.
class ReturnCopy
  include Dry::Monads[:result]

  def call(loan)
    return Failure(:already_returned) if loan.returned_at

    Loan.transaction do
      loan.update!(returned_at: Time.current)
      loan.copy.take_back!
    end
    waiting = loan.book.reservations.order(:created_at).first
    ReservationMailer.with(reservation: waiting).available.deliver_later if waiting
    Success(loan)
  end
end
