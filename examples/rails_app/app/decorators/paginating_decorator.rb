# frozen_string_literal: true

# A decorated collection that still knows about its pages.
class PaginatingDecorator < Draper::CollectionDecorator
  delegate :current_page, :total_pages, :limit_value, :total_count, :entry_name, :offset_value, :last_page?
end
