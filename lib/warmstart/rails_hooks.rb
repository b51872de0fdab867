# frozen_string_literal: true

module Warmstart
  # What Rails tells us: when namespaces are about to be loaded eagerly, and when the application is ready. By load hooks, as
  # soon as there are any, and not by a railtie: defining one, and asking it for its configuration, loads a part of Rails in another
  # order. (railtie.rb has only rake tasks, for who lets Bundler require the gem.)
  module RailsHooks
    HOOKS = "active_support/lazy_load_hooks"

    class << self
      # Rails is loaded after us, mostly.
      # @param session [Session]
      def expect(session)
        listener = -> { listen(session) }
        defined?(::ActiveSupport::LazyLoadHooks) ? listener.call : Native.landmark(HOOKS, listener)
      end

      private

      # after_initialize is asked for late, to be told after the gems. (When an application starts, its gems are loaded.)
      def listen(session)
        hooks = ::ActiveSupport
        hooks.on_load(:before_eager_load) { session.tweak }
        hooks.on_load(:before_initialize) { hooks.on_load(:after_initialize) { session.application_ready } }
      end
    end
  end
end
