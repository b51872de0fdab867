# frozen_string_literal: true

class MetricsController < ActionController::Base
  def show
    render plain: Prometheus::Client::Formats::Text.marshal(LibraryMetrics::REGISTRY),
           content_type: Prometheus::Client::Formats::Text::CONTENT_TYPE
  end
end
