# frozen_string_literal: true

require "test_helper"

class StaffTest < ActionDispatch::IntegrationTest
  test "the administration is for staff" do
    get admin_root_path
    assert_redirected_to new_user_session_path
    follow_redirect!
    assert_select "form input[name='user[password]']"

    create(:book, title: "Emma")
    sign_in create(:user, :librarian)
    get admin_root_path
    assert_select "td", /Emma/
  end

  test "health and metrics answer" do
    get rails_health_check_path
    assert_response :success

    get "/metrics"
    assert_match(/^# TYPE library_loans_total counter$/, response.body)
  end
end
