# frozen_string_literal: true

require "test_helper"

class APITest < ActionDispatch::IntegrationTest
  test "lists books" do
    book = create(:book)
    get "/api/v1/books"

    assert_response :success
    assert_equal [book.isbn], response.parsed_body["books"].pluck("isbn")
  end

  test "shows a book, and says when there is none" do
    get "/api/v1/books/#{create(:copy).book.slug}"
    assert_equal true, response.parsed_body["available"]

    get "/api/v1/books/nothing"
    assert_response :not_found
  end

  test "lends to whoever holds a token" do
    post "/api/v1/loans", params: { copy_id: 1 }
    assert_response :unauthorized

    copy = create(:copy)
    token = LibraryAPI::Authentication.token_for(create(:user))
    post "/api/v1/loans", params: { copy_id: copy.id }, headers: { "Authorization" => "Bearer #{token}" }

    assert_response :created
    assert_equal copy.barcode, response.parsed_body["barcode"]
  end

  test "answers GraphQL" do
    create(:book, title: "Emma")
    post "/graphql", params: { query: "{ books(language: \"en\") { title author { name } } }" }

    assert_equal ["Emma"], response.parsed_body.dig("data", "books").pluck("title")
  end
end
