# frozen_string_literal: true

# Looks a book up at openlibrary.org by its ISBN.
class BookMetadata
  URL = "https://openlibrary.org"

  Result = Struct.new(:title, :published_in, :pages, keyword_init: true)

  def initialize(connection: default_connection)
    @connection = connection
  end

  def find(isbn)
    response = @connection.get("/isbn/#{isbn}.json")
    return if response.status == 404

    body = response.body
    Result.new(title: body["title"], published_in: body["publish_date"].to_s[/\d{4}/]&.to_i,
               pages: body["number_of_pages"])
  end

  private

  def default_connection
    Faraday.new(url: URL, request: { timeout: 5 }) do |faraday|
      faraday.request :retry, max: 2, interval: 0.2
      faraday.response :json
      faraday.adapter Faraday.default_adapter
    end
  end
end
