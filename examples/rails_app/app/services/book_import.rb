# frozen_string_literal: true

# Takes over a spreadsheet (xlsx, ods or csv) with the columns title, isbn, author, publisher, category.
class BookImport
  COLUMNS = { title: "title", isbn: "isbn", author: "author", publisher: "publisher", category: "category" }.freeze

  def initialize(path)
    @path = path
  end

  # Returns how many books were new.
  def call
    Book.transaction { rows.count { |row| import(row) } }
  end

  private

  def rows = Roo::Spreadsheet.open(@path).parse(**COLUMNS)

  def import(row)
    isbn = ISBN.new(row[:isbn]).to_s
    return false if Book.exists?(isbn: isbn)

    Book.create!(title: row[:title], isbn: isbn,
                 author: Author.find_or_create_by!(name: row[:author]),
                 publisher: Publisher.find_or_create_by!(name: row[:publisher]),
                 category: Category.find_or_create_by!(slug: row[:category].parameterize))
  end
end
