# frozen_string_literal: true

# The tables of gems: PaperTrail, FriendlyId, acts-as-taggable-on, Mobility, Flipper and Active Storage.
class CreateSupportingTables < ActiveRecord::Migration[7.2]
  def change
    create_table :versions do |t|
      t.string :whodunnit
      t.datetime :created_at
      t.bigint :item_id, null: false
      t.string :item_type, null: false
      t.string :event, null: false
      t.text :object
      t.index %i[item_type item_id]
    end

    create_table :friendly_id_slugs do |t|
      t.string :slug, null: false
      t.integer :sluggable_id, null: false
      t.string :sluggable_type, limit: 50
      t.string :scope
      t.datetime :created_at
      t.index %i[sluggable_type sluggable_id]
      t.index %i[slug sluggable_type scope], unique: true
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
      t.index %i[tag_id taggable_id taggable_type context tagger_id tagger_type], unique: true, name: "taggings_once"
    end

    %i[string text].each do |type|
      create_table :"mobility_#{type}_translations" do |t|
        t.string :locale, null: false
        t.string :key, null: false
        t.public_send type, :value
        t.references :translatable, polymorphic: true, index: false
        t.timestamps
        t.index %i[translatable_id translatable_type locale key], unique: true, name: "#{type}_translations_once"
      end
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
      t.index %i[feature_key key value], unique: true, length: { value: 255 }
    end
  end
end
