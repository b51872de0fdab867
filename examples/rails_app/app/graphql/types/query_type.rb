# frozen_string_literal: true

module Types
  class QueryType < BaseObject
    field :books, [BookType], null: false do
      argument :language, String, required: false
    end
    field :book, BookType do
      argument :id, ID
    end

    def books(language: nil)
      books = Book.listed.limit(50)
      language ? books.in_language(language) : books
    end

    def book(id:) = Book.kept.find_by(id: id)
  end
end
