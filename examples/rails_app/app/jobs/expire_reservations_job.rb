# frozen_string_literal: true

class ExpireReservationsJob < ApplicationJob
  queue_as :default

  def perform
    Reservation.expired.in_batches.destroy_all
  end
end
