# frozen_string_literal: true

class LibrarySchema < GraphQL::Schema
  query Types::QueryType

  max_depth 8
  default_max_page_size 50
end
