# frozen_string_literal: true

# A list of all prices, to print or to calculate with.
class PriceListsController < ApplicationController
  def show
    list = Storefront::PriceList.new(Storefront::Catalogue.new.products)
    respond_to do |format|
      format.pdf { send_data list.to_pdf, filename: "prices.pdf", type: "application/pdf" }
      format.xlsx { send_data list.to_xlsx, filename: "prices.xlsx" }
    end
  end
end
