# frozen_string_literal: true

require "test_helper"

class LoansTest < ActionDispatch::IntegrationTest
  setup { sign_in @user = create(:user) }

  test "lends, lists and renews" do
    post loans_path, params: { loan: { copy_id: create(:copy).id } }
    follow_redirect!
    assert_select "p.notice", /four weeks/

    loan = @user.loans.sole
    assert_difference(-> { loan.reload.due_on }, Loan::PERIOD.in_days.to_i) { post renew_loan_path(loan) }
  end

  test "offers a calendar" do
    create(:loan, user: @user)
    get loans_path(format: :ics)

    assert_match(/BEGIN:VEVENT/, response.body)
  end
end
