# frozen_string_literal: true

class BookBlueprint < Blueprinter::Base
  identifier :id

  fields :title, :slug, :isbn, :language, :published_in
  association :author, blueprint: AuthorBlueprint

  view :full do
    field :summary
    field(:available, &:available?)
    field(:tags) { |book| book.tag_list.to_a }
  end
end
