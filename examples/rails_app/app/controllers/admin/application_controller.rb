# frozen_string_literal: true

module Admin
  class ApplicationController < Administrate::ApplicationController
    before_action :authenticate_user!
    before_action { redirect_to main_app.root_path unless current_user.staff? }
  end
end
