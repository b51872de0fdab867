# frozen_string_literal: true

class ApplicationController < ActionController::Base
  include Pundit::Authorization
  include LocaleFromRequest

  before_action :set_paper_trail_whodunnit
  before_action :allow_own_fields, if: :devise_controller?

  rescue_from Pundit::NotAuthorizedError do
    redirect_back fallback_location: root_path, alert: t("errors.not_authorized")
  end

  private

  def allow_own_fields
    devise_parameter_sanitizer.permit(:sign_up, keys: %i[name locale])
    devise_parameter_sanitizer.permit(:account_update, keys: %i[name phone locale])
  end
end
