# frozen_string_literal: true

ENV["RAILS_ENV"] ||= "test"
require_relative "../config/environment"
require "rails/test_help"

module ActiveSupport
  class TestCase
    # What every product needs: a store, a category for shipping, and somewhere to lie.
    setup do
      Spree::Store.create!(name: "Shop", code: "shop", url: "shop.example", mail_from_address: "shop@shop.example",
                           default: true)
    end

    def create_product(name: "Kettle", price: 45, **attributes)
      Spree::Product.create!(name: name, price: price, available_on: 1.day.ago,
                             shipping_category: Spree::ShippingCategory.find_or_create_by!(name: "Parcel"), **attributes)
    end
  end
end
