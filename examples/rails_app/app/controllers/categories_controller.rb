# frozen_string_literal: true

class CategoriesController < ApplicationController
  def show
    @category = Category.find_by!(slug: params[:id])
    @books = Book.listed.where(category: @category.subtree).page(params[:page])
  end
end
