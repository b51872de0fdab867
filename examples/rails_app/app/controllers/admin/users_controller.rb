# frozen_string_literal: true

module Admin
  class UsersController < Admin::ApplicationController
  end
end
