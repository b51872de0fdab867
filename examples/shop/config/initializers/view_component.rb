# frozen_string_literal: true

# The newest version that Ruby 3.1 takes announces at each boot that it is the last one.
ViewComponent::Deprecation.silenced = true if RUBY_VERSION < "3.2"
