# frozen_string_literal: true

module Warmstart
  # Bundler's setup, from a record of what it found out: which gems, and which dependencies. docs/bundler.md is the text
  # to this.
  #
  # Bundler itself is the real one in either case: its module, its Runtime#setup and Runtime#require, its replacements
  # of RubyGems' methods. What a replay leaves out is Bundler's Definition: evaluating the Gemfile, parsing the
  # lockfile, resolving, reading every gemspec. Light objects stand in its place, which answer from the record what a
  # boot asks, and become the real ones on anything else.
  #
  #   situation   what a record is for: versions, paths, configuration
  #   record      what was found out, and what it depends on
  #   recorder    makes a record of a real setup, with watch/ looking on
  #   replay      Runtime#setup over light objects
  #   light/      these objects
  #   becoming    the way back to the real definition
  #
  # Nothing of it is loaded until somebody requires bundler/setup.
  module Bundle
    class << self
      # What happened: :replayed, or the reason why Bundler did it itself (a String); nil before.
      attr_reader :outcome

      # Somebody requires bundler/setup (landmarks.c).
      # @return [Boolean] is everything done that it does?
      def before_setup = guarded { before }

      # Bundler's own bundler/setup is over, one way or the other.
      def after_setup = guarded { after }

      # The program ends: what became known meanwhile goes into the record.
      def finish
        @finish&.call
      end

      private

      # (A failure is ours, or Bundler's own, which Bundler itself will have to say in its own way.)
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

      def before
        reason = obstacle || replay
        return tell(:replayed) if reason.nil?

        @reason = reason
        @recorder ? @recorder.begin : tell(reason)
        false
      end

      # Why nothing is tried at all.
      def obstacle
        return "Bundler is loaded already" if defined?(::Bundler::VERSION)
        return "RubyGems is not loaded" unless defined?(::Gem::Specification)

        watched || unusable
      end

      def unusable
        load_bundler
        return "there is no Gemfile" unless ::Bundler::SharedHelpers.in_bundle?

        "bundler/setup is not Bundler's" unless $LOAD_PATH.resolve_feature_path("bundler/setup")&.last == setup_file
      end

      # Somebody would see what Bundler does: the exceptions that it rescues (-d), its files' coverage, their lines in
      # SCRIPT_LINES__, its calls.
      # @return [String, nil] as `warmstart why` names it
      def watched = Native.compiling_differs || ("traced" if Native.traced?)

      # In the order of bundler/setup.rb.
      def load_bundler
        require "bundler/shared_helpers"
        require "bundler" if ::Bundler::SharedHelpers.in_bundle?
      end

      def setup_file = ::Bundler.method(:setup).source_location.first.sub(/\.rb\z/, "/setup.rb")

      # @return [String, nil] why it cannot be done
      def replay
        load_parts
        situation = Situation.new
        record = Record.read(situation)
        reason = record.is_a?(Record) ? record.problem : record
        return prepare_recorder(situation, reason) if reason

        run(Replay.new(record, situation))
      end

      # @return [String, nil] why it failed. (Another version of a gem was activated before: then Bundler has the same
      #   error to raise.)
      def run(replay)
        @finish = replay.method(:finish)
        replay.run(setup_file) # (its last step provides bundler/setup: nothing may fail after it)
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
