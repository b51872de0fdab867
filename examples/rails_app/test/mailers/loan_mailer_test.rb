# frozen_string_literal: true

require "test_helper"

class LoanMailerTest < ActionMailer::TestCase
  test "the receipt speaks the reader's language and brings a slip" do
    loan = create(:loan, user: create(:user, locale: "de"))

    mail = LoanMailer.with(loan: loan).receipt

    assert_equal "Sie haben ein Buch ausgeliehen", mail.subject
    assert_equal [loan.user.email], mail.to
    assert_match(/\A%PDF-/, mail.attachments["receipt.pdf"].decoded)
  end
end
