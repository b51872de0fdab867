# frozen_string_literal: true

class BookDecorator < ApplicationDecorator
  MARKDOWN = Redcarpet::Markdown.new(Redcarpet::Render::HTML.new(escape_html: true), autolink: true)

  def self.collection_decorator_class = PaginatingDecorator

  def summary_html
    MARKDOWN.render(object.summary.to_s).html_safe
  end

  def language_name
    I18n.t(object.language, scope: :languages, default: object.language.upcase)
  end

  def replacement_price
    h.humanized_money_with_symbol(object.replacement_price)
  end
end
