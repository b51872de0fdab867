# frozen_string_literal: true

require "test_helper"

class ShopTest < ActionDispatch::IntegrationTest
  setup { @product = create_product(name: "Kettle") }

  test "lists and shows what is for sale" do
    get "/"
    assert_select ".products a", "Kettle"

    get "/products/#{@product.slug}"
    assert_select "h2", "Kettle"
  end

  test "answers JSON, its own and Solidus's" do
    get "/catalogue"
    assert_equal ["Kettle"], response.parsed_body["products"].pluck("name")

    get "/api/products"
    assert_equal ["Kettle"], response.parsed_body["products"].pluck("name")
  end

  test "keeps strangers out of the administration" do
    get "/admin"
    assert_response :redirect
  end
end
