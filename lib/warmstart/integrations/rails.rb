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
    FEATURE = "active_support/lazy_load_hooks"
    TASKS = File.expand_path("tasks.rake", __dir__ || ".")

    class << self
      # Called when there is a file of that name.
      def wait = Native.landmark(FEATURE, -> { Failsafe.run("listening to Rails") { listen } })

      # Called when Rails' load hooks exist. The hook for after_initialize is registered late, when the application
      # starts and its gems are loaded, so that it runs after the hooks of the gems.
      def listen
        return if @listening
        # (A program may have a file or a module of its own with that name.)
        return wait unless rails?

        @listening = true
        hooks = ::ActiveSupport
        # (In these blocks self is the application's class, or the application.)
        hooks.on_load(:before_configuration) { Failsafe.run("the rake tasks") { rake_tasks { load TASKS } } }
        hooks.on_load(:before_eager_load) { Failsafe.run("a tweak") { Warmstart.session&.tweak } }
        hooks.on_load(:before_initialize) do
          Failsafe.run("listening to Rails") do
            hooks.on_load(:after_initialize) do
              Failsafe.run("the end of the boot") do
                all = respond_to?(:config) && config.respond_to?(:eager_load) && config.eager_load
                Warmstart.session&.application_ready(all: all ? true : false)
              end
            end
          end
        end
      end

      private

      # (Nothing is loaded for this: an autoload counts as undefined.)
      def rails?
        return false if Object.autoload?(:ActiveSupport) || !defined?(::ActiveSupport::LazyLoadHooks)

        hooks = ::ActiveSupport
        hooks.is_a?(::ActiveSupport::LazyLoadHooks) &&
          Location.means?(FEATURE, hooks.method(:on_load).source_location&.first)
      end
    end
  end
end
