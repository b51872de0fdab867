# frozen_string_literal: true

module Warmstart
  # Replays Bundler's setup from a record of its results: which gems, and which dependencies.
  # docs/bundler_and_documents.md explains it.
  #
  # Bundler itself stays the real one: its module, its Runtime#setup and Runtime#require, and the methods of RubyGems
  # that it replaces. A replay leaves out Bundler's Definition: evaluating the Gemfile, parsing the lockfile, resolving,
  # and reading every gemspec. Light objects take its place. They answer from the record the questions that a boot asks,
  # and become the real objects when they are asked anything else.
  #
  #   situation   what a record is for: versions, paths, configuration
  #   record      the results of a setup, and what they depend on
  #   recorder    makes a record of a real setup, which watch/ observes
  #   replay      Runtime#setup over light objects
  #   light/      these objects
  #   becoming    the way back to the real definition
  #
  # None of these files is loaded until somebody requires bundler/setup.
  # @api private
  module Bundle
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
      # @return [Boolean] whether everything is done that bundler/setup would do
      def before_setup(path) = guarded { before(path) }

      # Called when Bundler's own bundler/setup is over, whether it returned or raised.
      def after_setup = guarded { after }

      # Called when the program ends: adds to the record what became known since setup.
      def finish
        @finish&.call
      end

      private

      # (A failure is either Warmstart's or Bundler's own. Bundler's own setup runs after it, and raises its own error.)
      def guarded(&block)
        failed =
          lambda do |error|
            @recorder&.give_up
            @recorder = nil
            tell("#{error.class}: #{error.message.lines.first.to_s.chomp}")
            @replayed
          end
        Failsafe.guard(failed, &block)
      end

      # @return [String, nil] the file that a require of the name would load
      def find(name)
        known = Native.resolve(name)
        (known.is_a?(Array) ? known : $LOAD_PATH.resolve_feature_path(name))&.last
      end

      def before(path)
        reason = obstacle(path) || replay
        return tell(:replayed) if reason.nil?

        @reason = reason
        @recorder ? @recorder.begin : tell(reason)
        false
      end

      # @return [String, nil] why a replay is not even tried
      def obstacle(path)
        return "Bundler is loaded already" if defined?(::Bundler::VERSION)
        return "RubyGems is not loaded" unless defined?(::Gem::Specification)

        watched || unusable(path)
      end

      def unusable(path)
        load_bundler
        return "there is no Gemfile" unless ::Bundler::SharedHelpers.in_bundle?

        # (A feature is known by its path, as this require has it.)
        "bundler/setup is required by another path" unless path == setup_file
      end

      # Somebody would see what Bundler does: the exceptions that it rescues (-d), its files' coverage, their lines in
      # SCRIPT_LINES__, its calls.
      # @return [String, nil] as `warmstart why` names it
      def watched = Native.compiling_differs || ("traced" if Native.traced?)

      # Loads the same files in the same order as bundler/setup.rb.
      def load_bundler
        require "bundler/shared_helpers"
        require "bundler" if ::Bundler::SharedHelpers.in_bundle?
      end

      def setup_file = ::Bundler.method(:setup).source_location.first.sub(/\.rb\z/, "/setup.rb")

      # @return [String, nil] why there was no replay
      def replay
        load_parts
        situation = Situation.new
        record = Record.read(situation)
        reason = record.is_a?(Record) ? record.problem : record
        return prepare_recorder(situation, reason) if reason

        run(Replay.new(record, situation))
      end

      # @return [String, nil] why the replay failed. (If another version of a gem was activated before, Bundler's own
      #   setup will raise the same error.)
      def run(replay)
        @finish = replay.method(:finish)
        replay.run(setup_file) # (its last step provides the feature bundler/setup, so no step that can fail may follow)
        @replayed = true
        nil
      rescue StandardError, ScriptError, NoMemoryError, SystemStackError => error
        @finish = nil
        replay.undo
        "the replay failed: #{error.message.lines.first.to_s.chomp}"
      end

      def load_parts
        require_relative "bundle/situation"
        require_relative "bundle/record"
        require_relative "bundle/replay"
      end

      # Prepares to record Bundler's own setup, if this process records.
      # @return [String] the reason
      def prepare_recorder(situation, reason)
        return reason unless Native.recording?

        require_relative "bundle/recorder"
        @recorder = Recorder.new(situation)
        @finish = @recorder.method(:finish)
        reason
      end

      def after
        return unless @recorder

        problem = @recorder.end
        tell(problem ? "#{@reason}; not recorded: #{problem}" : @reason)
      end

      def tell(outcome)
        @outcome = outcome
        Native.log(outcome == :replayed ? "bundler: replayed" : "bundler: real (#{outcome})")
        true
      end
    end
  end
end
