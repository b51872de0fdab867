# frozen_string_literal: true

module LibraryAPI
  # The JSON API for the apps and the catalogue terminals, under /api.
  class Root < Grape::API
    format :json
    version "v1", using: :path

    rescue_from(ActiveRecord::RecordNotFound) { error!({ error: "not found" }, 404) }

    helpers Authentication

    mount Books
    mount Loans
  end
end
