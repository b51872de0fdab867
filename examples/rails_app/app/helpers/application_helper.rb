# frozen_string_literal: true

module ApplicationHelper
  def locale_links
    safe_join(I18n.available_locales.map { |locale| link_to(locale, url_for(locale: locale), lang: locale) }, " ")
  end
end
