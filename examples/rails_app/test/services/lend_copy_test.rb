# frozen_string_literal: true

require "test_helper"

class LendCopyTest < ActiveSupport::TestCase
  include ActionMailer::TestHelper

  test "lends a copy and sends a receipt" do
    copy = create(:copy)
    user = create(:user)

    result = nil
    assert_enqueued_emails(1) { result = LendCopy.new.call(user: user, params: { copy_id: copy.id, days: 14 }) }

    assert_predicate result, :success?
    assert_equal 14.days.from_now.to_date, result.value!.due_on
    assert_predicate copy.reload, :on_loan?
  end

  test "refuses a copy that is on loan" do
    copy = create(:copy, state: "on_loan")

    result = LendCopy.new.call(user: create(:user), params: { copy_id: copy.id })

    assert_equal({ copy_id: ["is not available"] }, result.failure)
  end

  test "takes a copy back and tells who waits" do
    loan = create(:loan)
    Reservation.create!(book: loan.book, user: create(:user))

    assert_enqueued_emails(1) { ReturnCopy.new.call(loan) }
    assert_predicate loan.copy.reload, :available?
  end
end
