# frozen_string_literal: true

class ProductsController < ApplicationController
  def index
    @products = Storefront::Catalogue.new.products.page(params[:page]).per(24)
  end

  def show
    @product = Spree::Product.available.friendly.find(params[:id])
    @variants = @product.variants_including_master.includes(:prices, :option_values)
  end
end
