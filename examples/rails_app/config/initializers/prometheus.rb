# frozen_string_literal: true

require "prometheus/client"
require "prometheus/client/formats/text"

# Counts what the library does; scraped at /metrics.
module LibraryMetrics
  REGISTRY = Prometheus::Client.registry

  LOANS = REGISTRY.counter(:library_loans_total, docstring: "Loans made", labels: [:branch])
  SEARCHES = REGISTRY.counter(:library_searches_total, docstring: "Searches in the catalogue")
end
