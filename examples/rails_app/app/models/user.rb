# frozen_string_literal: true

class User < ApplicationRecord
  devise :database_authenticatable, :registerable, :recoverable, :rememberable, :trackable, :validatable,
         :omniauthable, omniauth_providers: %i[library_card]

  enum :role, { reader: 0, librarian: 1, administrator: 2 }

  has_many :loans, dependent: :restrict_with_error
  has_many :reservations, dependent: :destroy
  has_many :reviews, dependent: :destroy

  validates :name, presence: true
  validates :email, email: true
  validates :phone, phone: { allow_blank: true }
  validates :locale, inclusion: { in: ->(_) { I18n.available_locales.map(&:to_s) } }

  def self.from_card(card)
    find_or_create_by(provider: card.provider, uid: card.uid) do |user|
      user.assign_attributes(email: card.info.email, name: card.info.name, password: Devise.friendly_token)
    end
  end

  def staff? = librarian? || administrator?
end
