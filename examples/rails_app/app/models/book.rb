# frozen_string_literal: true

# A title in the catalogue. What stands on the shelves are its copies.
class Book < ApplicationRecord
  extend FriendlyId
  include Discard::Model
  include Searchable

  friendly_id :title, use: %i[slugged history]
  acts_as_taggable_on :tags
  has_paper_trail ignore: %i[copies_count reviews_count updated_at]
  monetize :replacement_price_cents
  searchable :title, :language, :published_in, through: %i[author publisher category]

  belongs_to :author
  counter_culture :author
  belongs_to :publisher
  belongs_to :category
  has_many :copies, dependent: :destroy
  has_many :loans, through: :copies
  has_many :reservations, dependent: :destroy
  has_many :reviews, dependent: :destroy
  has_one_attached :cover

  validates :title, presence: true
  validates :isbn, presence: true, uniqueness: true
  validate { errors.add(:isbn, :invalid) unless isbn.blank? || ISBN.new(isbn).valid? }

  scope :listed, -> { kept.includes(:author, :category).order(:title) }
  scope :in_language, ->(language) { where(language: language) }

  def available? = copies.available.exists?

  def average_rating
    reviews.average(:rating)&.round(1)
  end
end
