# frozen_string_literal: true

module LibraryAPI
  class Books < Grape::API
    resource :books do
      desc "The catalogue, by title"
      params do
        optional :page, type: Integer, default: 1
        optional :language, type: String, values: %w[en de fr es ja]
      end
      get do
        books = Book.listed.page(params[:page])
        books = books.in_language(params[:language]) if params[:language]
        BookBlueprint.render_as_hash(books, root: :books, meta: { pages: books.total_pages })
      end

      desc "One book"
      get ":id" do
        BookBlueprint.render_as_hash(Book.kept.friendly.find(params[:id]), view: :full)
      end
    end
  end
end
