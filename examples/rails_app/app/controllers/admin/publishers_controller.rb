# frozen_string_literal: true

module Admin
  class PublishersController < Admin::ApplicationController
  end
end
