# frozen_string_literal: true

module Storefront
  # Names and prices as a PDF or as a spreadsheet.
  class PriceList
    HEADINGS = %w[SKU Name Price].freeze

    Prawn::Fonts::AFM.hide_m17n_warning = true

    def initialize(products)
      @products = products
    end

    def to_pdf
      document = Prawn::Document.new
      document.table([HEADINGS, *rows], header: true, width: document.bounds.width)
      document.render
    end

    def to_xlsx
      package = Axlsx::Package.new
      package.workbook.add_worksheet(name: "Prices") do |sheet|
        [HEADINGS, *rows].each { |row| sheet.add_row(row) }
      end
      package.to_stream.read
    end

    private

    def rows
      @products.map { |product| [product.sku, product.name, product.display_price.to_s] }
    end
  end
end
