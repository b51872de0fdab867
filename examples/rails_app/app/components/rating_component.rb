# frozen_string_literal: true

class RatingComponent < ViewComponent::Base
  def initialize(rating:)
    super()
    @rating = rating
  end

  def render? = @rating.present?

  def call
    tag.span("★" * @rating.round, class: "rating", title: helpers.number_with_precision(@rating, precision: 1))
  end
end
