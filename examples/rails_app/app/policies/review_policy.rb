# frozen_string_literal: true

class ReviewPolicy < ApplicationPolicy
  def create? = user.present?
  def update? = record.user == user
  def destroy? = staff? || record.user == user
end
