# frozen_string_literal: true

module Storefront
  # What is for sale now.
  class Catalogue
    def products
      Spree::Product.available.includes(master: %i[prices stock_items]).order(:name)
    end

    # Plain data, for JSON.
    def to_a
      products.map do |product|
        { slug: product.slug, name: product.name, price: product.display_price.to_s, available: product.total_on_hand.positive? }
      end
    end
  end
end
