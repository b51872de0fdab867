# frozen_string_literal: true

class ReservationMailer < ApplicationMailer
  def available
    @reservation = params.fetch(:reservation)
    mail_to @reservation.user
  end
end
