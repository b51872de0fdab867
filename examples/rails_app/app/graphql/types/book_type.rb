# frozen_string_literal: true

module Types
  class BookType < BaseObject
    field :id, ID, null: false
    field :title, String, null: false
    field :isbn, String, null: false
    field :language, String, null: false
    field :published_in, Integer
    field :author, "Types::AuthorType", null: false
  end
end
