# frozen_string_literal: true

FactoryBot.define do
  factory :author do
    name { Faker::Book.author }
  end

  factory :publisher do
    sequence(:name) { |n| "Publisher #{n}" }
    country_code { "DE" }
  end

  factory :category do
    sequence(:slug) { |n| "category-#{n}" }
    name_en { "Novels" }
  end

  factory :book do
    title { Faker::Book.title }
    isbn { "9780306406157" }
    author
    publisher
    category
    replacement_price_cents { 1200 }
  end

  factory :branch do
    name { "Central library" }
  end

  factory :copy do
    book
    branch
    sequence(:barcode) { |n| "C#{n}" }
  end

  factory :user do
    name { "Ada Reader" }
    sequence(:email) { |n| "reader#{n}@example.com" }
    password { "correct horse" }

    trait(:librarian) { role { :librarian } }
  end

  factory :loan do
    copy { association :copy, state: "on_loan" }
    user
    due_on { 4.weeks.from_now }
  end
end
