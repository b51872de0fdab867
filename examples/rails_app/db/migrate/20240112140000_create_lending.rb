# frozen_string_literal: true

class CreateLending < ActiveRecord::Migration[7.2]
  def change
    create_table :branches do |t|
      t.string :name, null: false
      t.string :address
      t.float :latitude
      t.float :longitude
      t.timestamps
    end

    create_table :copies do |t|
      t.references :book, null: false, foreign_key: true
      t.references :branch, null: false, foreign_key: true
      t.string :barcode, null: false, index: { unique: true }
      t.string :state, null: false, default: "available"
      t.integer :position
      t.timestamps
    end

    create_table :loans do |t|
      t.references :copy, null: false, foreign_key: true
      t.references :user, null: false, foreign_key: true
      t.date :due_on, null: false
      t.datetime :returned_at
      t.integer :renewals, null: false, default: 0
      t.timestamps
    end

    create_table :reservations do |t|
      t.references :book, null: false, foreign_key: true
      t.references :user, null: false, foreign_key: true
      t.datetime :expires_at, null: false
      t.timestamps
      t.index %i[book_id user_id], unique: true
    end

    create_table :reviews do |t|
      t.references :book, null: false, foreign_key: true
      t.references :user, null: false, foreign_key: true
      t.integer :rating, null: false
      t.text :body
      t.timestamps
      t.index %i[book_id user_id], unique: true
    end
  end
end
