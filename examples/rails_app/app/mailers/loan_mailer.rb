# frozen_string_literal: true

class LoanMailer < ApplicationMailer
  before_action { @loan = params.fetch(:loan) }

  def receipt
    attachments["receipt.pdf"] = LoanReceipt.new(@loan).render
    mail_to @loan.user
  end

  def reminder
    mail_to @loan.user
  end
end
