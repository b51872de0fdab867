# frozen_string_literal: true

class BooksController < ApplicationController
  before_action :authenticate_user!, except: %i[index show]
  before_action :find_book, only: %i[show edit update destroy]

  def index
    LibraryMetrics::SEARCHES.increment if params[:q]
    @search = policy_scope(Book).listed.ransack(params[:q])
    @books = @search.result.page(params[:page])

    respond_to do |format|
      format.html
      format.json
      format.xlsx { @books = @books.except(:limit, :offset) }
    end
  end

  def show
    authorize @book
    @reviews = @book.reviews.includes(:user).order(created_at: :desc).limit(10)
  end

  def new
    @book = authorize(Book.new)
  end

  def create
    @book = authorize(Book.new(book_params))
    if @book.save
      CompleteBookJob.perform_later(@book)
      redirect_to @book, notice: t(".created")
    else
      render :new, status: :unprocessable_entity
    end
  end

  def edit
    authorize @book
  end

  def update
    authorize @book
    if @book.update(book_params)
      redirect_to @book, notice: t(".updated")
    else
      render :edit, status: :unprocessable_entity
    end
  end

  def destroy
    authorize @book
    @book.discard!
    redirect_to books_path, notice: t(".removed")
  end

  private

  def find_book
    @book = Book.friendly.find(params[:id])
  end

  def book_params
    params.require(:book).permit(:title, :isbn, :author_id, :publisher_id, :category_id, :language, :published_in,
                                 :summary, :replacement_price, :cover, :tag_list)
  end
end
