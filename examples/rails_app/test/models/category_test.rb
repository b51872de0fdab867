# frozen_string_literal: true

require "test_helper"

class CategoryTest < ActiveSupport::TestCase
  test "has a name in each language" do
    category = create(:category, name_en: "Novels", name_de: "Romane")

    assert_equal "Novels", category.name
    assert_equal "Romane", I18n.with_locale(:de) { category.name }
  end

  test "stands in a tree" do
    parent = create(:category)
    child = create(:category, parent: parent)

    assert_equal [parent, child], parent.subtree.order(:id)
  end
end
