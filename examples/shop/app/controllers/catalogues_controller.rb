# frozen_string_literal: true

class CataloguesController < ApplicationController
  def show
    render json: { store: current_store.name, products: Storefront::Catalogue.new.to_a }
  end
end
