# frozen_string_literal: true

class GraphqlController < ActionController::API
  def execute
    render json: LibrarySchema.execute(params[:query], variables: variables, operation_name: params[:operationName])
  end

  private

  def variables
    case given = params[:variables]
    when String then given.present? ? JSON.parse(given) : {}
    when ActionController::Parameters then given.to_unsafe_h
    else {}
    end
  end
end
