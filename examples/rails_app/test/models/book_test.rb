# frozen_string_literal: true

require "test_helper"

class BookTest < ActiveSupport::TestCase
  test "wants a title and an author" do
    book = build(:book, title: nil, author: nil)

    assert_not_predicate book, :valid?
    assert_equal %i[author title], book.errors.attribute_names.sort
  end

  test "wants a valid ISBN" do
    assert_predicate build(:book, isbn: "978-0-306-40615-7"), :valid?

    book = build(:book, isbn: "9780306406158")
    assert_not_predicate book, :valid?
    assert_includes book.errors, :isbn
  end

  test "is found by its former address" do
    book = create(:book, title: "Emma")
    book.update!(title: "Emma, revised", slug: nil)

    assert_equal book, Book.friendly.find("emma")
  end

  test "keeps its earlier versions" do
    book = create(:book, title: "Emma")
    book.update!(title: "Persuasion")

    assert_equal "Emma", book.versions.last.reify.title
  end

  test "is available while a copy is on the shelf" do
    copy = create(:copy)
    assert_predicate copy.book, :available?

    copy.lend!
    assert_not_predicate copy.book, :available?
  end

  test "counts for its author" do
    author = create(:author)
    create(:book, author: author)

    assert_equal 1, author.reload.books_count
  end
end
