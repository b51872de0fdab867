# frozen_string_literal: true

class CreateCatalogue < ActiveRecord::Migration[7.2]
  def change
    create_table :publishers do |t|
      t.string :name, null: false, index: { unique: true }
      t.string :country_code, limit: 2
      t.string :website
      t.timestamps
    end

    create_table :authors do |t|
      t.string :name, null: false
      t.string :slug, null: false, index: { unique: true }
      t.date :born_on
      t.text :biography
      t.integer :books_count, null: false, default: 0
      t.timestamps
    end

    create_table :categories do |t|
      t.string :ancestry, null: false, default: "/", index: true
      t.string :slug, null: false, index: { unique: true }
      t.integer :position
      t.timestamps
    end

    create_table :books do |t|
      t.references :author, null: false, foreign_key: true
      t.references :publisher, null: false, foreign_key: true
      t.references :category, null: false, foreign_key: true
      t.string :title, null: false
      t.string :slug, null: false, index: { unique: true }
      t.string :isbn, null: false, index: { unique: true }
      t.string :language, null: false, default: "en"
      t.integer :published_in
      t.text :summary
      t.integer :replacement_price_cents, null: false, default: 0
      t.integer :copies_count, null: false, default: 0
      t.integer :reviews_count, null: false, default: 0
      t.datetime :discarded_at, index: true
      t.timestamps
    end
  end
end
