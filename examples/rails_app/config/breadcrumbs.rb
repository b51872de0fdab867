# frozen_string_literal: true

crumb(:root) { link I18n.t("library.name"), root_path }
crumb(:authors) { link Author.model_name.human(count: 2), authors_path }

crumb :author do |author|
  link author.name, author_path(author)
  parent :authors
end

crumb :book do |book|
  link book.title, book_path(book)
  parent :author, book.author
end
