# frozen_string_literal: true

module Warmstart
  # What Rails tells us: when namespaces are about to be loaded eagerly, and when the application is ready. By load hooks, as
  # soon as there are any, and not by a railtie: defining one, and asking it for its configuration, loads a part of Rails in another
  # order. (railtie.rb has only rake tasks, for who lets Bundler require the gem.)
  #
  # Rails keeps its hooks for ever, so they hold no session: whichever there is by then hears of it, or none (Warmstart.unload!).
  module RailsHooks
    HOOKS = "active_support/lazy_load_hooks"

    class << self
      # Rails is loaded after us, mostly.
      def expect
        return if @listening

        defined?(::ActiveSupport::LazyLoadHooks) ? listen : Native.landmark(HOOKS, method(:listen))
      end

      private

      # after_initialize is asked for late, to be told after the gems. (When an application starts, its gems are loaded.)
      def listen
        @listening = true
        hooks = ::ActiveSupport
        hooks.on_load(:before_eager_load) { Warmstart.session&.tweak }
        hooks.on_load(:before_initialize) { hooks.on_load(:after_initialize) { Warmstart.session&.application_ready } }
      end
    end
  end
end
