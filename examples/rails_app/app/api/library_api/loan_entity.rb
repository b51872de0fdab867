# frozen_string_literal: true

module LibraryAPI
  class LoanEntity < Grape::Entity
    expose :id
    expose(:title) { |loan| loan.book.title }
    expose(:barcode) { |loan| loan.copy.barcode }
    expose :due_on
    expose :renewals
  end
end
