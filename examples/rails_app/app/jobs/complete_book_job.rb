# frozen_string_literal: true

# Fills what the catalogue does not know about a book from an outside source.
class CompleteBookJob < ApplicationJob
  queue_as :low

  def perform(book, source: BookMetadata.new)
    return unless (found = source.find(ISBN.new(book.isbn)))

    book.update!(published_in: book.published_in || found.published_in)
  end
end
