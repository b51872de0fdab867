# frozen_string_literal: true

# A small catalogue; running it again changes nothing.
category = lambda do |slug, english, german, **options|
  Category.find_or_create_by!(slug: slug) { |new| new.assign_attributes(name_en: english, name_de: german, **options) }
end
fiction = category.call("fiction", "Fiction", "Belletristik")
novels = category.call("novels", "Novels", "Romane", parent: fiction)
science = category.call("science", "Science", "Wissenschaft")

branch = Branch.find_or_create_by!(name: "Central library") { |b| b.address = "1 Library Square" }
publisher = Publisher.find_or_create_by!(name: "Example Press") { |p| p.country_code = "DE" }

isbn = lambda do |number|
  digits = format("978000%06d", number)
  sum = digits.each_char.with_index.sum { |digit, index| digit.to_i * (index.even? ? 1 : 3) }
  "#{digits}#{-sum % 10}"
end

titles = {
  ["Jane Austen", novels, "en"] => ["Emma", "Mansfield Park", "Northanger Abbey", "Persuasion", "Pride and Prejudice"],
  ["Mary Shelley", novels, "en"] => ["Frankenstein", "The Last Man", "Valperga"],
  ["Theodor Fontane", novels, "de"] => ["Der Stechlin", "Effi Briest", "Frau Jenny Treibel", "Irrungen, Wirrungen"],
  ["Jules Verne", novels, "fr"] => ["De la Terre à la Lune", "Le Tour du monde en quatre-vingts jours", "Michel Strogoff"],
  ["Miguel de Cervantes", fiction, "es"] => ["Don Quijote de la Mancha", "La Galatea", "Novelas ejemplares"],
  ["Natsume Sōseki", novels, "ja"] => ["こころ", "三四郎", "吾輩は猫である", "坊っちゃん"],
  ["Charles Darwin", science, "en"] => ["On the Origin of Species", "The Descent of Man", "The Voyage of the Beagle"],
  ["Alexander von Humboldt", science, "de"] => ["Ansichten der Natur", "Kosmos"]
}

number = 0
titles.each do |(name, subject, language), books|
  author = Author.find_or_create_by!(name: name)
  books.each do |title|
    number += 1
    book = Book.find_or_create_by!(isbn: isbn.call(number)) do |b|
      b.assign_attributes(title: title, slug: "book-#{number}", author: author, publisher: publisher, category: subject,
                          language: language, published_in: 1800 + number, replacement_price_cents: 1500,
                          summary: "**#{title}**, by #{name}.", tag_list: [language, subject.slug])
    end
    book.copies.find_or_create_by!(barcode: format("C%06d", number)) { |copy| copy.branch = branch }
  end
end
