# frozen_string_literal: true

class LoanPolicy < ApplicationPolicy
  def create? = user.present?
  def show? = staff? || record.user == user
  def renew? = show? && record.renewable?

  class Scope < Scope
    def resolve
      user.staff? ? scope.all : scope.where(user: user)
    end
  end
end
