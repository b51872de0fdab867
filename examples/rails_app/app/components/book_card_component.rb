# frozen_string_literal: true

# One book in a list of books.
class BookCardComponent < ViewComponent::Base
  with_collection_parameter :book

  def initialize(book:)
    super()
    @book = book.decorate
  end

  attr_reader :book
end
