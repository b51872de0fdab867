# frozen_string_literal: true

class ReviewsController < ApplicationController
  before_action :authenticate_user!

  def create
    book = Book.kept.friendly.find(params[:book_id])
    review = authorize(book.reviews.new(params.require(:review).permit(:rating, :body).merge(user: current_user)))
    if review.save
      redirect_to book, notice: t(".thanks")
    else
      redirect_to book, alert: review.errors.full_messages.to_sentence
    end
  end
end
