# frozen_string_literal: true

module Warmstart
  # Moments at which servers, test runners and rake have loaded what they load, and begin their work. There the boot is
  # over, except for what the first request or test loads. None of these programs announces the moment. So a TracePoint
  # is enabled for one method of each, and disabled when the method is called: no class gets another method, no other
  # call becomes slower, and no backtrace has another frame. If a version has no such method, nothing says that the boot
  # is over, as with every other program. After a second without a require the governor then ends, what is new is
  # written, and what was validated is validated again; the index answers on.
  # @api private
  module Moments
    # feature: the file that defines the method; owner: the constant's name; methods: the first of them that exists is
    # watched; singleton: whether it is a singleton method; event: :call or :return; message: the method of Session to
    # call.
    Moment = Struct.new(:feature, :owner, :methods, :singleton, :event, :message)

    # After these another moment is of interest: the boot goes on, or the server is still to begin. The other moments are
    # the end.
    GOES_ON = %i[tasks_begin children_begin workers_begin worker_begins server_ready].freeze

    # Messages that get the method's receiver.
    TOLD = %i[workers_begin worker_begins].freeze

    ALL = [
      # The application is built, and the server's handler comes next. Servers that are started without a handler begin
      # to accept. (For servers that fork before that, the boot has ended then: see GCGovernor.)
      Moment.new("rackup/server", "Rackup::Server", %i[wrapped_app], false, :return, :server_ready),
      Moment.new("rack/server", "Rack::Server", %i[wrapped_app], false, :return, :server_ready),
      Moment.new("puma/server", "Puma::Server", %i[run], false, :call, :server_begins),
      # Where Puma does not preload the application, its workers load it.
      Moment.new("puma/cluster", "Puma::Cluster", %i[spawn_workers], false, :call, :workers_begin),
      Moment.new("puma/cluster/worker", "Puma::Cluster::Worker", %i[run], false, :call, :worker_begins),
      Moment.new("webrick/server", "WEBrick::GenericServer", %i[start], false, :call, :server_begins),
      # Jobs are about to be taken.
      Moment.new("sidekiq/launcher", "Sidekiq::Launcher", %i[run], false, :call, :server_begins),
      Moment.new("good_job/capsule", "GoodJob::Capsule", %i[start], false, :call, :server_begins),
      Moment.new("delayed/worker", "Delayed::Worker", %i[start], false, :call, :server_begins),
      # These fork their workers now, or one for each job.
      Moment.new("solid_queue/supervisor", "SolidQueue::Supervisor", %i[start], false, :call, :forking_server_begins),
      Moment.new("resque/worker", "Resque::Worker", %i[work], false, :call, :forking_server_begins),
      # All tests are loaded, and the plugins of the runner.
      Moment.new("minitest", "Minitest", %i[run_all_suites __run run], true, :call, :tests_begin),
      Moment.new("rspec/core/runner", "RSpec::Core::Runner", %i[run_specs], false, :call, :tests_begin),
      Moment.new(
        "test/unit/ui/testrunnermediator",
        "Test::Unit::UI::TestRunnerMediator",
        %i[run],
        false,
        :call,
        :tests_begin
      ),
      # Children are about to be forked: Rails' parallel tests, RuboCop's.
      Moment.new(
        "active_support/testing/parallelization",
        "ActiveSupport::Testing::Parallelization",
        %i[start],
        false,
        :call,
        :children_begin
      ),
      Moment.new("parallel", "Parallel", %i[create_workers], true, :call, :children_begin),
      # The Rakefile is loaded. Its tasks may still load an application.
      Moment.new("rake/application", "Rake::Application", %i[top_level], false, :call, :tasks_begin)
    ].freeze

    SAID = {
      server_ready: "the application is ready",
      server_begins: "the application is ready",
      forking_server_begins: "the application is ready",
      children_begin: "children begin",
      tests_begin: "tests begin",
      workers_begin: "workers begin",
      worker_begins: "a worker begins",
      tasks_begin: "tasks begin"
    }.freeze

    class << self
      # Watches now what is loaded already, and everything else when it is loaded.
      def expect
        @watches = []
        ALL.each { |moment| watch(moment) || wait_for(moment) }
      end

      # Removes all watches.
      def forget
        @watches&.each(&:disable)
        @watches = nil
      end

      private

      # (A program may have a file of its own with the feature's name; then the wait goes on.)
      def wait_for(moment)
        Native.landmark(
          moment.feature,
          -> { Failsafe.run("the watch for a moment") { watch(moment) || wait_for(moment) } if @watches }
        )
      end

      # @return [TracePoint, nil]
      def watch(moment)
        method = method_of(moment) or return
        return unless Location.means?(moment.feature, method.source_location&.first)

        watch =
          TracePoint.new(moment.event) do |trace|
            trace.disable
            tell(moment, method, *([trace.self] if TOLD.include?(moment.message)))
          end
        watch.enable(target: method)
        @watches << watch
        watch
      end

      # @return [Method, UnboundMethod, nil]
      def method_of(moment)
        owner = moment.owner.split("::").inject(Object) { |scope, name| constant(scope, name) or break }
        # (A program may have anything of its own under that name, with methods of its own.)
        return unless Module === owner

        owner = ask(Kernel, :singleton_class, owner) if moment.singleton
        name =
          moment.methods.find do |candidate|
            ask(Module, :method_defined?, owner, candidate, false) ||
              ask(Module, :private_method_defined?, owner, candidate, false)
          end
        name && ask(Module, :instance_method, owner, name)
      end

      def ask(owner, method, receiver, *arguments) = owner.instance_method(method).bind_call(receiver, *arguments)

      # (Does not trigger an autoload: a constant that would have to be loaded first counts as undefined.)
      def constant(scope, name)
        # (Most of these constants do not exist, so this costs each start no object.)
        return if Object.equal?(scope) && (scope.autoload?(name, false) || !scope.const_defined?(name, false))
        return unless Module === scope
        return if ask(Module, :autoload?, scope, name, false) || !ask(Module, :const_defined?, scope, name, false)

        ask(Module, :const_get, scope, name, false)
      end

      def tell(moment, method, *receiver)
        Failsafe.run("the end of the boot") do
          Native.log("#{moment.owner}#{moment.singleton ? "." : "#"}#{method.name}: #{SAID.fetch(moment.message)}")
          Warmstart.session&.public_send(moment.message, *receiver)
          forget unless GOES_ON.include?(moment.message)
        end
      end
    end
  end
end
