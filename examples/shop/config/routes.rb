# frozen_string_literal: true

Rails.application.routes.draw do
  get "up" => "rails/health#show", as: :rails_health_check

  resources :products, only: %i[index show]
  get "catalogue" => "catalogues#show", defaults: { format: "json" }
  resources :price_lists, only: :show
  root to: "products#index"

  mount Spree::Core::Engine, at: "/"
end
