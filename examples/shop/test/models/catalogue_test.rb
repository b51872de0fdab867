# frozen_string_literal: true

require "test_helper"

class CatalogueTest < ActiveSupport::TestCase
  test "holds what is available, by name" do
    create_product(name: "Whisk")
    create_product(name: "Apron", price: 19)
    create_product(name: "Next year's kettle").update!(available_on: 1.year.from_now)

    catalogue = Storefront::Catalogue.new.to_a

    assert_equal %w[Apron Whisk], catalogue.pluck(:name)
    assert_equal "€19.00", catalogue.first[:price]
  end

  test "prints its prices" do
    create_product(name: "Whisk")
    list = Storefront::PriceList.new(Storefront::Catalogue.new.products)

    assert_equal "%PDF-", list.to_pdf[0, 5]
    assert_equal "PK", list.to_xlsx[0, 2]
  end
end
