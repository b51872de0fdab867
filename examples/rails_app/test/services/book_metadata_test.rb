# frozen_string_literal: true

require "test_helper"

class BookMetadataTest < ActiveSupport::TestCase
  test "reads what the open library knows" do
    stub_request(:get, "https://openlibrary.org/isbn/9780306406157.json")
      .to_return_json(body: { title: "Emma", publish_date: "December 1815", number_of_pages: 474 })

    found = BookMetadata.new.find("9780306406157")

    assert_equal ["Emma", 1815, 474], found.to_a
  end

  test "knows nothing about other books" do
    stub_request(:get, "https://openlibrary.org/isbn/9780306406157.json").to_return(status: 404)

    assert_nil BookMetadata.new.find("9780306406157")
  end
end
