# frozen_string_literal: true

module Warmstart
  # Learns from Rails when there is an application (which then gets the rake tasks), when namespaces are about to be
  # loaded eagerly, and when the application is ready. It uses load hooks and not a railtie: Warmstart is loaded before
  # Rails, and to define a railtie later and read its configuration would load a part of Rails in another order.
  #
  # Rails keeps its hooks for ever. So they hold no session: they tell the session that exists when they are called, or
  # none (after Warmstart.unload!).
  # @api private
  module RailsHooks
    TASKS = File.expand_path("tasks.rake", __dir__ || ".")

    class << self
      # Called when Rails' load hooks exist. The hook for after_initialize is registered late, when the application
      # starts and its gems are loaded, so that it runs after the hooks of the gems.
      def listen
        return if @listening

        @listening = true
        hooks = ::ActiveSupport
        # (In this block self is the application's class.)
        hooks.on_load(:before_configuration) { Failsafe.run("the rake tasks") { rake_tasks { load TASKS } } }
        hooks.on_load(:before_eager_load) { Failsafe.run("a tweak") { Warmstart.session&.tweak } }
        hooks.on_load(:before_initialize) do
          Failsafe.run("listening to Rails") do
            hooks.on_load(:after_initialize) do
              Failsafe.run("the end of the boot") { Warmstart.session&.application_ready }
            end
          end
        end
      end
    end
  end
end
