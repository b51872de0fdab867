# frozen_string_literal: true

module Warmstart
  # Spares Bundler's setup the work whose results a record has: reading the lockfile and every gemspec, and resolving.
  # docs/bundler_and_documents.md explains it.
  #
  # Bundler itself stays the real one: bundler/setup runs, evaluates the Gemfile, changes ENV and $LOAD_PATH, and
  # replaces RubyGems' methods. Only its Definition, which comes of the Gemfile and the lockfile, is a light object, if
  # the Gemfile told what it told when the record was made, and nothing else has changed. Light objects answer from the
  # record the questions that a boot asks, and become the real objects when they are asked anything else.
  #
  #   said        what a Gemfile or a gemspec tells
  #   path_gemspecs  loads the gemspecs of gems beside the application
  #   situation   what a record is for: what was told, versions, paths, configuration
  #   record      the results of a setup, and what they depend on
  #   recorder    makes a record of a real setup, which watch/ observes
  #   replay      the setup over light objects
  #   light/      these objects
  #   becoming    the way back to the real definition
  #
  # None of these files is loaded until somebody requires bundler/setup.
  # @api private
  module Bundle
    # What a mistake in a light object raises. Whatever else arrives while its code runs is another thread's (Timeout) or a
    # signal's, and so the program's.
    FAULTS = [NameError, TypeError, ArgumentError, IndexError, ScriptError, NoMemoryError, SystemStackError].freeze
    private_constant :FAULTS

    class << self
      # @return [Symbol, String, nil] :replayed, or the reason why Bundler's own setup ran; nil before bundler/setup
      attr_reader :outcome

      # The file that a require of bundler/setup is about to load, if it is Bundler's: it lies beside those that it loads
      # itself. (A standalone bundle has a file of its own that is called bundler/setup.rb.)
      # @param feature [String] what is required: a name, or an absolute path
      # @return [String, nil]
      def own_setup(feature)
        path = File.absolute_path?(feature) ? "#{feature.delete_suffix(".rb")}.rb" : find(feature)
        return unless path&.end_with?("/bundler/setup.rb")

        parts = { "bundler" => "../bundler.rb", "bundler/shared_helpers" => "shared_helpers.rb" }
        beside =
          parts.all? { |name, part| (file = find(name)) && File.identical?(file, File.join(File.dirname(path), part)) }
        beside ? path : nil
      end

      # Called when somebody requires Bundler's bundler/setup.
      # @param path [String] its file
      def before_setup(path) = guarded { before(path) }

      # Called when bundler/setup raises.
      # @return [Boolean] whether it is to be loaded once more, because what failed was Warmstart's own
      def once_more?(error)
        place = error.backtrace&.find { |line| !line.start_with?("<internal:") }
        own = FAULTS.any? { |kind| kind === error } && place&.start_with?("#{FOLDER}/")
        return false unless own && @situation

        @reason = "Warmstart's part failed: #{error.message.lines.first.to_s.chomp}"
        @recorder&.give_up
        @replay&.undo
        @recorder = @replay = @situation = nil
        stop_intercepting
        ::Bundler.reset!
        true
      end

      # Called when Bundler's own bundler/setup is over, whether it returned or raised.
      def after_setup = guarded { after }

      # Called when the program ends: adds to the record what became known since setup.
      def finish
        @finish&.call
      end

      private

      # (After a failure Bundler's own setup goes on.)
      def guarded(&block)
        failed =
          lambda do |error|
            @listener&.disable
            @recorder&.give_up
            @recorder = @replay = nil
            @reason = "#{error.class}: #{error.message.lines.first.to_s.chomp}"
            nil
          end
        Failsafe.guard(failed, &block)
      end

      # @return [String, nil] the file that a require of the name would load
      def find(name)
        known = Native.resolve(name)
        (known.is_a?(Array) ? known : Native.find(name))&.last
      end

      def before(path)
        @reason = obstacle
        return if @reason

        @reason = "there is no Gemfile" # (if nothing more is heard)
        @thread = Thread.current
        # (Bundler loads its files by their paths, below the real folder of bundler.rb.)
        folder = File.dirname(File.realpath("../bundler.rb", File.dirname(path)))
        Native.landmark(File.join(folder, "bundler/dsl"), -> { guarded { listen } })
      end

      # @return [String, nil] why a replay is not even tried
      def obstacle
        return "Bundler is loaded already" if defined?(::Bundler::VERSION)
        return "RubyGems is not loaded" unless defined?(::Gem::Specification)

        watched
      end

      # Somebody would see what Bundler does: the exceptions that it rescues (-d), its files' coverage, their lines in
      # SCRIPT_LINES__, its calls.
      # @return [String, nil] as `warmstart why` names it
      def watched = Native.compiling_differs || ("traced" if Native.traced?)

      # Bundler::Dsl evaluates the Gemfile, and then Bundler calls its to_definition. A TracePoint sees that call: so no
      # method is replaced while the Gemfile is evaluated, and no frame of ours is in its backtraces.
      def listen
        @reason = "the Gemfile was not evaluated to its end" # (if nothing more is heard)
        Native.require_own("bundle/said")
        Native.require_own("bundle/path_gemspecs")
        Native.require_own("bundle/situation")
        Native.require_own("bundle/patches")
        Native.require_own("bundle/record")
        Native.require_own("bundle/replay")
        @listener = TracePoint.new(:call) { |call| guarded { evaluated(call.self) } if Thread.current.equal?(@thread) }
        @listener.enable(target: ::Bundler::Dsl.instance_method(:to_definition))
      end

      # @param builder [Bundler::Dsl] which has evaluated the Gemfile, or another file for that
      def evaluated(builder)
        return unless builder.instance_variable_get(:@gemfiles).first == ::Bundler.default_gemfile.expand_path

        @listener.disable
        @reason = watched || ("the program has another Bundler::Definition.new" unless own_new?)
        return if @reason

        @situation = Situation.new(builder)
        return refuse if (@reason = Patches.found)

        record = Record.read(@situation)
        @reason = record.is_a?(Record) ? record.problem : record
        @replay = Replay.new(record, @situation) unless @reason
        intercept_definition(builder) if @replay || Native.recording?
      end

      # (For `warmstart status`.)
      def refuse
        Record.refuse(@situation, ::Bundler.default_gemfile.to_s, @reason) if Native.recording?
      end

      def own_new? = ::Bundler::Definition.method(:new).owner.equal?(Class)

      # Has Warmstart asked for the Definition that Bundler makes next. (No code of the program runs before that.)
      def intercept_definition(builder)
        bundle = self
        owner = ::Bundler::Definition.singleton_class
        owner.define_method(:new) do |*arguments, **keywords|
          bundle.stop_intercepting
          bundle.definition(builder) { Class.instance_method(:new).bind_call(self, *arguments, **keywords) }
        end
      end

      public

      # @api private
      def stop_intercepting
        owner = ::Bundler::Definition.singleton_class
        owner.send(:remove_method, :new) if owner.method_defined?(:new, false)
      end

      # @api private
      # @yieldreturn [Bundler::Definition] the real one
      def definition(builder, &real)
        said = PathGemspecs.load(builder)
        gemspecs = said && guarded { Situation.digest(Said.by_gemspecs(said, @situation.places)) }
        unless gemspecs # (Bundler tells what it thinks of such a gemspec.)
          @reason = "a path gem's gemspec cannot be compared"
          @replay = nil
          return real.call
        end

        if @replay
          @reason = @replay.record.gemspecs_changed(gemspecs)
          # (What a replay has loaded before it failed would be missing in a record that is made now.)
          return guarded { @replay.definition(builder, real) } || real.call unless @reason

          @replay = nil
        end
        recorder = guarded { prepare_recorder(gemspecs) }
        recorder ? recorder.definition(&real) : real.call
      end

      private

      # @return [Recorder, nil] if this process records
      def prepare_recorder(gemspecs)
        return unless Native.recording?

        Native.require_own("bundle/recorder")
        @recorder = Recorder.new(@situation, gemspecs)
      end

      def after
        @listener&.disable
        PathGemspecs.forget if @situation
        return settle if @replay

        problem = @recorder&.setup_over
        @finish = @recorder.method(:finish) if @recorder
        tell(problem ? "#{@reason}; not recorded: #{problem}" : @reason)
      end

      def settle
        @replay.record.renew(@situation)
        @replay.settle
        @finish = @replay.method(:finish)
        tell(:replayed)
      end

      def tell(outcome)
        @outcome = outcome
        Native.log(outcome == :replayed ? "bundler: replayed" : "bundler: real (#{outcome})")
      end
    end
  end
end
