# frozen_string_literal: true

module Admin
  class BooksController < Admin::ApplicationController
    private

    def find_resource(param) = scoped_resource.friendly.find(param)
  end
end
