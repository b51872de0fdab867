# frozen_string_literal: true

class LoanContract < Dry::Validation::Contract
  params do
    required(:copy_id).filled(:integer)
    optional(:days).filled(:integer, gt?: 0, lteq?: 56)
  end

  rule(:copy_id) do
    key.failure("is not available") unless Copy.available.exists?(id: value)
  end
end
