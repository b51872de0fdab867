# frozen_string_literal: true

class BookPolicy < ApplicationPolicy
  def show? = record.kept? || staff?

  class Scope < Scope
    def resolve
      user&.staff? ? scope.all : scope.kept
    end
  end
end
