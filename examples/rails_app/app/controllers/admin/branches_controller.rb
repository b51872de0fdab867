# frozen_string_literal: true

module Admin
  class BranchesController < Admin::ApplicationController
  end
end
