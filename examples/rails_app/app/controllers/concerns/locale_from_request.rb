# frozen_string_literal: true

# Chooses the language: the one asked for, else the user's, else the best that the browser accepts.
module LocaleFromRequest
  extend ActiveSupport::Concern

  included { around_action :switch_locale }

  private

  def switch_locale(&action)
    I18n.with_locale(requested_locale, &action)
  end

  def requested_locale
    available = I18n.available_locales.map(&:to_s)
    [params[:locale], current_user&.locale, http_accept_language.compatible_language_from(available)]
      .find { |locale| available.include?(locale) } || I18n.default_locale
  end

  def default_url_options
    params[:locale] ? { locale: I18n.locale } : {}
  end
end
