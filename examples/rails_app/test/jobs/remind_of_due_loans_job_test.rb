# frozen_string_literal: true

require "test_helper"

class RemindOfDueLoansJobTest < ActiveJob::TestCase
  include ActionMailer::TestHelper

  test "reminds of the loans that are due soon" do
    create(:loan, due_on: 2.days.from_now)
    create(:loan, due_on: 2.weeks.from_now, copy: create(:copy, book: create(:book, isbn: "9783161484100")))

    assert_enqueued_emails(1) { RemindOfDueLoansJob.perform_now }
  end
end
