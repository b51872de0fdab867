# frozen_string_literal: true

module LibraryAPI
  class Loans < Grape::API
    resource :loans do
      before { authenticate! }

      desc "What the reader has at home"
      get do
        present current_user.loans.open.includes(copy: :book), with: LoanEntity
      end

      desc "Lend a copy"
      params do
        requires :copy_id, type: Integer
        optional :days, type: Integer
      end
      post do
        input = declared(params, include_missing: false).to_h.symbolize_keys
        result = LendCopy.new.call(user: current_user, params: input)
        result.success? ? present(result.value!, with: LoanEntity) : error!({ errors: result.failure }, 422)
      end
    end
  end
end
