# frozen_string_literal: true

require "sidekiq/web"
require "sidekiq/cron/web"

Rails.application.routes.draw do
  get "up" => "rails/health#show", as: :rails_health_check
  get "metrics" => "metrics#show"

  devise_for :users, controllers: { omniauth_callbacks: "users/omniauth_callbacks" }

  authenticate :user, :administrator?.to_proc do
    mount Sidekiq::Web => "/sidekiq"
    mount Flipper::UI.app(Flipper) => "/flipper"
  end

  namespace :admin do
    resources :books, :authors, :publishers, :categories, :branches, :users
    root to: "books#index"
  end

  mount LibraryAPI::Root => "/api"
  post "graphql" => "graphql#execute"

  resources :books do
    resources :reviews, only: :create
  end
  resources :authors, only: %i[index show]
  resources :categories, only: :show
  resources :loans, only: %i[index create] do
    member { post :renew }
  end
  root to: "books#index"
end
