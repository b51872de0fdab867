# frozen_string_literal: true

module Types
  class AuthorType < BaseObject
    field :id, ID, null: false
    field :name, String, null: false
    field :books, [BookType], null: false
  end
end
