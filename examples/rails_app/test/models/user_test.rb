# frozen_string_literal: true

require "test_helper"

class UserTest < ActiveSupport::TestCase
  test "wants an address for mail and a telephone number that exist" do
    assert_predicate build(:user, phone: "+49 30 901820"), :valid?
    assert_not_predicate build(:user, phone: "12"), :valid?
    assert_not_predicate build(:user, email: "reader"), :valid?
  end

  test "knows who works here" do
    assert_predicate build(:user, :librarian), :staff?
    assert_not_predicate build(:user), :staff?
  end
end
