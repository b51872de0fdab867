# frozen_string_literal: true

class LoansController < ApplicationController
  before_action :authenticate_user!

  def index
    @loans = policy_scope(Loan).open.includes(copy: :book).order(:due_on)

    respond_to do |format|
      format.html
      format.ics { render plain: LoanCalendar.new(@loans).to_ical, content_type: "text/calendar" }
    end
  end

  def create
    authorize Loan
    result = LendCopy.new.call(user: current_user, params: params.require(:loan).permit(:copy_id, :days).to_h)
    if result.success?
      redirect_to loans_path, notice: t(".lent", title: result.value!.book.title)
    else
      redirect_back fallback_location: books_path, alert: result.failure.values.flatten.to_sentence
    end
  end

  def renew
    loan = authorize(Loan.find(params[:id]))
    loan.update!(due_on: loan.due_on + Loan::PERIOD, renewals: loan.renewals + 1)
    redirect_to loans_path, notice: t(".renewed")
  end
end
