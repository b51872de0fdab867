# frozen_string_literal: true

require "test_helper"

class BooksTest < ActionDispatch::IntegrationTest
  setup { @book = create(:book, title: "Emma", author: create(:author, name: "Jane Austen")) }

  test "lists the catalogue" do
    get root_path

    assert_response :success
    assert_select "li.book a", "Emma"
  end

  test "lists the catalogue in the language asked for" do
    get root_path(locale: "ja")

    assert_select "html[lang=ja]"
    assert_select "title", /蔵書/
  end

  test "lists the catalogue as JSON and as a spreadsheet" do
    get books_path(format: :json)
    assert_equal ["Jane Austen"], response.parsed_body["books"].pluck("author")

    get books_path(format: :xlsx)
    assert_equal "PK", response.body[0, 2]
  end

  test "searches" do
    get books_path(q: { title_or_author_name_cont: "austen" })
    assert_select "li.book", 1

    get books_path(q: { title_or_author_name_cont: "nobody" })
    assert_select "li.book", 0
  end

  test "shows a book" do
    @book.update!(summary: "A *comedy* of manners.")
    get book_path(@book)

    assert_select "article em", "comedy"
    assert_select "nav.breadcrumbs, .breadcrumbs", /Jane Austen/
  end

  test "lets only librarians edit" do
    sign_in create(:user)
    get edit_book_path(@book)
    assert_redirected_to root_path

    sign_in create(:user, :librarian)
    get edit_book_path(@book)
    assert_select "form input[name='book[title]']"

    patch book_path(@book), params: { book: { title: "Emma Woodhouse" } }
    assert_equal "Emma Woodhouse", @book.reload.title
  end
end
