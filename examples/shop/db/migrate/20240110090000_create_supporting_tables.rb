# frozen_string_literal: true

# What no engine of Solidus brings along: the key of users for the API, and the tables of PaperTrail,
# acts-as-taggable-on and Flipper.
class CreateSupportingTables < ActiveRecord::Migration[7.2]
  def change
    # As Solidus' generator for an application's own users does.
    add_column :spree_users, :spree_api_key, :string, limit: 48
    add_index :spree_users, :spree_api_key

    create_table :versions do |t|
      t.string :whodunnit
      t.datetime :created_at
      t.bigint :item_id, null: false
      t.string :item_type, null: false
      t.string :event, null: false
      t.text :object
      t.index %i[item_type item_id]
    end

    create_table :tags do |t|
      t.string :name, index: { unique: true }
      t.integer :taggings_count, default: 0
      t.timestamps
    end

    create_table :taggings do |t|
      t.references :tag, foreign_key: true
      t.references :taggable, polymorphic: true
      t.references :tagger, polymorphic: true
      t.string :context, limit: 128
      t.string :tenant, limit: 128
      t.datetime :created_at
    end

    create_table :flipper_features do |t|
      t.string :key, null: false, index: { unique: true }
      t.timestamps
    end

    create_table :flipper_gates do |t|
      t.string :feature_key, null: false
      t.string :key, null: false
      t.text :value
      t.timestamps
      t.index %i[feature_key key value], unique: true
    end
  end
end
