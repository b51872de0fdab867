# frozen_string_literal: true

module Admin
  class CategoriesController < Admin::ApplicationController
    private

    def find_resource(param) = scoped_resource.find_by!(slug: param)
  end
end
