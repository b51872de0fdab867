# frozen_string_literal: true

class ApplicationController < ActionController::Base
  include Spree::Core::ControllerHelpers::Store
  include Spree::Core::ControllerHelpers::Pricing

  around_action { |_controller, action| I18n.with_locale(requested_locale, &action) }
  helper_method :current_store

  private

  def requested_locale
    I18n.available_locales.find { |locale| locale.to_s == params[:locale] } || I18n.default_locale
  end
end
