# frozen_string_literal: true

json.pages @books.total_pages
json.books @books do |book|
  json.extract! book, :id, :title, :isbn, :language, :published_in
  json.author book.author.name
  json.url book_url(book)
end
