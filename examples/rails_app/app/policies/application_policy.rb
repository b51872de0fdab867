# frozen_string_literal: true

class ApplicationPolicy
  attr_reader :user, :record

  def initialize(user, record)
    @user = user
    @record = record
  end

  def index? = true
  def show? = true
  def create? = staff?
  def new? = create?
  def update? = staff?
  def edit? = update?
  def destroy? = staff?

  class Scope
    attr_reader :user, :scope

    def initialize(user, scope)
      @user = user
      @scope = scope
    end

    def resolve = scope.all
  end

  private

  def staff? = !!user&.staff?
end
