# frozen_string_literal: true

module Warmstart
  # Bundler's setup, from a record of what it found out: which gems, and which dependencies. docs/bundler.md is the text to this.
  #
  # Bundler itself is the real one in either case: its module, its Runtime#setup and Runtime#require, its replacements of
  # RubyGems' methods. What a replay leaves out is Bundler's Definition: evaluating the Gemfile, parsing the lockfile,
  # resolving, reading every gemspec. Light objects stand in its place, which answer from the record what a boot asks, and
  # become the real ones on anything else.
  #
  #   situation   what a record is for: versions, paths, configuration
  #   record      what was found out, and what it depends on
  #   recorder    makes a record of a real setup, with watch/ looking on
  #   replay      Runtime#setup over light objects
  #   light/      these objects
  #   becoming    the way back to the real definition
  module Bundle
    class << self
      # What happened: :replayed, or [:real, reason]; nil before.
      attr_reader :outcome

      # Sets the bundle up, as `require "bundler/setup"` does.
      # @param session [Session, nil]
      def setup(session)
        reason = obstacle(session)
        return real(reason) if reason

        load_parts
        load_bundler
        return real("there is no Gemfile") unless ::Bundler::SharedHelpers.in_bundle?

        replay_or_record
      end

      # The program ends or its boot is over: what became known meanwhile goes into the record.
      def finish
        @recorder&.finish
      end

      private

      # Why nothing is tried at all.
      def obstacle(session)
        return "Warmstart is off" unless session
        return "WARMSTART_BUNDLER=0" unless session.configuration.bundler
        return "Bundler is loaded already" if defined?(::Bundler::VERSION)

        "RubyGems is not loaded" unless defined?(::Gem::Specification)
      end

      def load_parts
        require_relative "bundle/situation"
        require_relative "bundle/record"
        require_relative "bundle/replay"
      end

      # In the order of bundler/setup.rb.
      def load_bundler
        require "bundler/shared_helpers"
        require "bundler" if ::Bundler::SharedHelpers.in_bundle?
      end

      def replay_or_record
        situation = Situation.new
        record = Record.read(situation)
        reason = record.is_a?(Record) ? record.problem : record
        return record_real(situation, reason) if reason

        Replay.new(record).run
        tell(:replayed)
      end

      def record_real(situation, reason)
        return real(reason) unless Native.recording?

        require_relative "bundle/recorder"
        @recorder = Recorder.new(situation)
        @recorder.run { require "bundler/setup" }
        tell([:real, @recorder.problem ? "#{reason}; not recorded: #{@recorder.problem}" : reason])
      end

      def real(reason)
        require "bundler/setup"
        tell([:real, reason])
      end

      def tell(outcome)
        @outcome = outcome
        Native.log(outcome == :replayed ? "bundler: replayed" : "bundler: real (#{outcome.last})") if Warmstart.available?
      end
    end
  end
end
