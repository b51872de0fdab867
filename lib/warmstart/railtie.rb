# frozen_string_literal: true

module Warmstart
  # Rake tasks, where Bundler requires the gem. What Rails has to tell us does not depend on it: rails_hooks.rb.
  class Railtie < ::Rails::Railtie
    rake_tasks { load File.join(__dir__, "tasks.rake") }
  end
end
