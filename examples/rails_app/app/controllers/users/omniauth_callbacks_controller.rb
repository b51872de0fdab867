# frozen_string_literal: true

module Users
  class OmniauthCallbacksController < Devise::OmniauthCallbacksController
    def library_card
      sign_in_and_redirect User.from_card(request.env["omniauth.auth"])
    end
  end
end
