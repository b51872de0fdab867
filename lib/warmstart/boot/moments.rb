# frozen_string_literal: true

module Warmstart
  # Moments at which servers, test runners and rake have loaded what they load, and begin their work: there the boot is
  # over, but for what the first request or test loads. None of them says so to anybody, so one method of each is
  # watched by a TracePoint that is enabled for this method alone, and gone once it was called: nothing is added to a
  # class, no other call is slower, no frame is anybody's. A method that another version does not have is not watched;
  # then a second without a require says it, as for every other program.
  module Moments
    # feature: the file that makes the method; owner: the constant's name; methods: the first that is there; singleton:
    # is it the constant's own?; event: :call or :return; message: what the session is told.
    Moment = Struct.new(:feature, :owner, :methods, :singleton, :event, :message)

    ALL = [
      # The application is built, and the server's handler comes next; servers that are started without a handler: when
      # they begin to accept. (Those that fork before have booted then: GCGovernor.)
      Moment.new("rackup/server", "Rackup::Server", %i[wrapped_app], false, :return, :application_ready),
      Moment.new("rack/server", "Rack::Server", %i[wrapped_app], false, :return, :application_ready),
      Moment.new("puma/server", "Puma::Server", %i[run], false, :call, :application_ready),
      Moment.new("webrick", "WEBrick::GenericServer", %i[start], false, :call, :application_ready),
      # All tests are loaded, the runners' plugins, too.
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
      # The Rakefile is loaded. Its tasks may load an application yet.
      Moment.new("rake/application", "Rake::Application", %i[top_level], false, :call, :tasks_begin)
    ].freeze

    SAID = {
      application_ready: "the application is ready",
      tests_begin: "tests begin",
      tasks_begin: "tasks begin"
    }.freeze

    class << self
      # Whatever is loaded already is watched at once, the rest when it is loaded.
      def expect
        @watches = []
        ALL.each { |moment| watch(moment) || wait_for(moment) }
      end

      # Nobody wants to know any more.
      def forget
        @watches&.each(&:disable)
        @watches = nil
      end

      private

      # (A path may end as the feature does and be another file: then the wait goes on.)
      def wait_for(moment)
        Native.landmark(
          moment.feature,
          -> { Failsafe.run("the watch for a moment") { watch(moment) || wait_for(moment) } if @watches }
        )
      end

      # @return [TracePoint, nil]
      def watch(moment)
        method = method_of(moment) or return
        return unless RubyVM::InstructionSequence.of(method) # (a method in C, or one that was made otherwise)

        watch =
          TracePoint.new(moment.event) do |trace|
            trace.disable
            tell(moment, method)
          end
        watch.enable(target: method)
        @watches << watch
        watch
      end

      # @return [Method, UnboundMethod, nil]
      def method_of(moment)
        owner = moment.owner.split("::").inject(Object) { |scope, name| constant(scope, name) or break }
        return unless owner

        owner = owner.singleton_class if moment.singleton
        name =
          moment.methods.find do |candidate|
            owner.method_defined?(candidate, false) || owner.private_method_defined?(candidate, false)
          end
        name && owner.instance_method(name)
      end

      # (One that would have to be loaded first is not there.)
      def constant(scope, name)
        if scope.is_a?(Module) && !scope.autoload?(name, false) && scope.const_defined?(name, false)
          scope.const_get(name, false)
        end
      end

      def tell(moment, method)
        Failsafe.run("the end of the boot") do
          Native.log("#{moment.owner}#{moment.singleton ? "." : "#"}#{method.name}: #{SAID.fetch(moment.message)}")
          Warmstart.session&.public_send(moment.message)
          forget unless moment.message == :tasks_begin
        end
      end
    end
  end
end
