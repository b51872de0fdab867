# frozen_string_literal: true

module Warmstart
  # What Rails tells us: when there is an application (which then gets our rake tasks), when namespaces are about to be
  # loaded eagerly, and when the application is ready. By load hooks, as soon as there are any, and not by a railtie: we
  # are loaded before Rails is, and defining one later, and asking it for its configuration, loads a part of Rails in
  # another order.
  #
  # Rails keeps its hooks for ever, so they hold no session: whichever there is by then hears of it, or none
  # (Warmstart.unload!).
  module RailsHooks
    TASKS = File.expand_path("tasks.rake", __dir__ || ".")

    class << self
      # Rails' load hooks are there. after_initialize is asked for late, to be told after the gems. (When an application
      # starts, its gems are loaded.)
      def listen
        return if @listening

        @listening = true
        hooks = ::ActiveSupport
        # (self is the application's class.)
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
